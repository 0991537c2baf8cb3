package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// pipedRows is how many addresses a list needs before its format is known while
// its pipe is still open.
const pipedRows = 3000

// pipeList writes a list of addresses to p and leaves the pipe open.
func pipeList(p *process, last string) error {
	var list []byte
	for i := range pipedRows {
		list = fmt.Appendf(list, "user%06d@acme.example\n", i)
	}
	_, err := io.WriteString(p.stdin, string(list)+last+"\n")
	return err
}

// TestDrainedBulk: after one signal the rows already read are finished,
// although the pipe is open and a mail host is slow. Rows are in order.
func TestDrainedBulk(t *testing.T) {
	p := start(t, startWorld(t), "bulk", "-", "--no-progress")
	check(t, pipeList(p, "who@slow.example"))
	p.await(p.stdout, `^email,rcpt_result,`)
	for i := range pipedRows {
		row, err := p.stdout.ReadString('\n')
		if want := fmt.Sprintf("user%06d@acme.example,undeliverable,mailbox_not_found,", i); err != nil || !strings.HasPrefix(row, want) {
			t.Fatalf("row %d is %q, error %v", i, row, err)
		}
	}
	code, stdout, stderr := p.end(os.Interrupt)
	if code != exitFailed || !strings.HasPrefix(stdout, "who@slow.example,accept-all,") || strings.Count(stdout, "\n") != 1 {
		t.Errorf("exit code %d, the last row is %q", code, stdout)
	}
	if !strings.Contains(stderr, "finishing what is being asked") || !strings.HasSuffix(stderr, "\nrcpt: interrupted; rows written: 3001\n") {
		t.Errorf("standard error:\n%s", stderr)
	}
}

// TestStoppedBulk: the second signal ends the run at once, although it waits
// for a mail host.
func TestStoppedBulk(t *testing.T) {
	p := start(t, startWorld(t), "bulk", "-", "--no-progress", "--timeout", "1h")
	check(t, pipeList(p, "who@mute.example"))
	p.await(p.stdout, `^user002999@acme\.example,`)
	check(t, p.command.Process.Signal(syscall.SIGTERM))
	p.await(p.stderr, "finishing what is being asked; interrupt again to stop at once")
	code, stdout, stderr := p.end(os.Interrupt)
	if code != exitFailed || stdout != "" || !strings.HasSuffix(stderr, "\nrcpt: interrupted; rows written: 3000\n") {
		t.Errorf("exit code %d, standard output %q, standard error:\n%s", code, stdout, stderr)
	}
}

// TestClosedBulkOutput: when the reader of standard output closes it, as head
// does, the run ends without an error.
func TestClosedBulkOutput(t *testing.T) {
	p := start(t, nil, "bulk", "-", "--level", "syntax", "--no-progress")
	check(t, p.stdoutPipe.Close())
	if err := pipeList(p, "last@acme.example"); !errors.Is(err, syscall.EPIPE) { // it may end before it has read all
		check(t, err)
	}
	stderr, err := io.ReadAll(p.stderr)
	check(t, err)
	_ = p.command.Wait()
	if code := p.command.ProcessState.ExitCode(); code != exitDone || len(stderr) > 0 {
		t.Errorf("exit code %d, standard error:\n%s", code, stderr)
	}
}
