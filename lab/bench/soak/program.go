package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// program is a running rcpt, seen from outside.
type program struct {
	cmd   *exec.Cmd
	ended chan error

	mu   sync.Mutex
	told []string      // the last lines of its standard error
	news chan struct{} // has room for one; something was told
	over bool
}

// keptLines is how much of what a program tells is kept.
const keptLines = 40

// run starts rcpt with the flags that the world needs.
func run(
	ctx context.Context, binary, folder string, spec Spec, ready Ready, timeout time.Duration, args ...string,
) (*program, error) {
	args = append(args, "--resolver", ready.DNS, "--smtp-port", strconv.Itoa(int(ready.Port)),
		"--allow-net", spec.Network().String(), "--helo", helo, "--timeout", timeout.String(),
		"--data", filepath.Join(folder, "data"), "--debug-listen", "127.0.0.1:0", "--log-level", "warn")
	p := &program{
		cmd: exec.CommandContext(ctx, binary, args...), ended: make(chan error, 1), news: make(chan struct{}, 1),
	}
	p.cmd.Env = append(os.Environ(), "RCPT_API_KEY="+key)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.listen(stderr)
		p.ended <- p.cmd.Wait()
	}()
	return p, nil
}

func (p *program) listen(from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		p.mu.Lock()
		p.told = append(p.told, lines.Text())
		p.told = p.told[max(0, len(p.told)-keptLines):]
		p.mu.Unlock()
		p.ring()
	}
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.ring()
}

func (p *program) ring() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// await waits until the program has told something, and returns what the
// pattern's parentheses enclose.
func (p *program) await(pattern string) (string, error) {
	wanted := regexp.MustCompile(pattern)
	for range p.news {
		p.mu.Lock()
		told, over := strings.Join(p.told, "\n"), p.over
		p.mu.Unlock()
		if match := wanted.FindStringSubmatch(told); match != nil {
			p.ring() // for callers that wait for another line
			return match[1], nil
		}
		if over {
			return "", fmt.Errorf("%s: %s", p.cmd, told)
		}
	}
	return "", nil
}

func (p *program) debugURL() (string, error) {
	return p.await(`Runtime figures and profiles are at (http://\S+/debug/runtime)`)
}

// figuresAt reads the figures of a program from inside and outside.
func (p *program) figuresAt(url string) (f figures, err error) {
	response, err := http.Get(url)
	if err != nil {
		return f, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&f); err != nil {
		return f, err
	}
	return f, f.outside(p.cmd.Process.Pid)
}

func (p *program) lastWords() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.told, "\n")
}
