// Package process runs other processes of the bench, and talks with them in
// JSON.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Process is a process of ours that answers each JSON value on its standard
// input with one on its standard output.
type Process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// Start starts a process, gives it its order and reads its first answer.
func Start(cmd *exec.Cmd, order, ready any) (*Process, error) {
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
	p := &Process{cmd: cmd, in: in, out: json.NewDecoder(out)}
	if err := p.Ask(order, ready); err != nil {
		return nil, errors.Join(err, p.End())
	}
	return p, nil
}

// Ask puts a question and reads the answer.
func (p *Process) Ask(question, answer any) error {
	if err := json.NewEncoder(p.in).Encode(question); err != nil {
		return err
	}
	if err := p.out.Decode(answer); err != nil {
		return fmt.Errorf("%s gives no answer: %w", p.cmd, err)
	}
	return nil
}

// End ends the process by ending its input.
func (p *Process) End() error {
	p.in.Close()
	return p.cmd.Wait()
}

// Self is a command of this program.
func Self(ctx context.Context, command string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, program, command), nil
}
