//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestBulkWithFewFiles: if fewer files may be open than addresses are verified
// at a time, some addresses wait and none is lost.
func TestBulkWithFewFiles(t *testing.T) {
	t.Parallel()
	names := dnstest.New("*.many.example. MX 10 mx.acme.example.\nmx.acme.example. A 127.0.0.1\n")
	names.Break(dnstest.Fault{Delay: 20 * time.Millisecond}) // all come together
	resolver, err := names.Start()
	check(t, err)
	t.Cleanup(names.Close)
	acme := smtptest.Start(&smtptest.Host{Name: "mx.acme.example", Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	t.Cleanup(acme.Close)
	_, port, err := net.SplitHostPort(acme.Addr)
	check(t, err)

	const rows = 300
	var list bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&list, "alice@%d.many.example\n", i)
	}
	rcpt, err := exec.LookPath("rcpt")
	check(t, err)
	command := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -n 64 && exec "$0" bulk - --retry-window 0s --no-progress`, rcpt)
	command.Env = append(os.Environ(), "RCPT_RESOLVER="+resolver, "RCPT_SMTP_PORT="+port, "RCPT_ALLOW_NET=127.0.0.0/8", "RCPT_HELO=tests.example")
	var stderr strings.Builder
	command.Stdin, command.Stderr = &list, &stderr
	out, err := command.Output()
	if n := strings.Count(string(out), ",deliverable,"); err != nil || n != rows {
		t.Errorf("%d of %d are deliverable, error %v, standard error:\n%s", n, rows, err, stderr.String())
	}
}
