package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// process is a process of ours that answers each JSON value on its standard input with one on its standard output.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// startProcess starts a process, gives it its order and reads its first answer.
func startProcess(cmd *exec.Cmd, order, ready any) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, out: json.NewDecoder(out)}
	if err := p.ask(order, ready); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

func (p *process) ask(question, answer any) error {
	if err := json.NewEncoder(p.in).Encode(question); err != nil {
		return err
	}
	if err := p.out.Decode(answer); err != nil {
		return fmt.Errorf("%s gives no answer: %w", p.cmd, err)
	}
	return nil
}

// end ends the process by ending its input.
func (p *process) end() error {
	p.in.Close()
	return p.cmd.Wait()
}

// self is a command of this program.
func self(ctx context.Context, command string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, program, command), nil
}
