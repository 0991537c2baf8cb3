//go:build e2e && linux

package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// question is one call of rcpt verify.
type question struct {
	address  string
	helo     string // default: probe.example, which leads to the client's address
	mailFrom string // default: the null reverse-path
	stranger bool   // leave out --allow-net: loopback and private addresses stay forbidden
}

// record is what these tests look at in the record that rcpt verify prints.
type record struct {
	Success   bool
	Result    string
	Message   string
	AcceptAll int `json:"accept_all"`
	Details   struct {
		Reason     string
		CatchAll   string `json:"catch_all"`
		SMTP       struct{ Host string }
		Transcript transcript
	}
}

type transcript []struct{ From, Text string }

func (tr transcript) String() string {
	var b strings.Builder
	for _, line := range tr {
		fmt.Fprintf(&b, "  %s: %s\n", line.From, line.Text)
	}
	return b.String()
}

// rcptTimeout is longer than rcpt's own --timeout: reaching it means that rcpt hangs.
const rcptTimeout = time.Minute

// verify runs the rcpt command.
func verify(q question) (record, error) {
	args := []string{"verify", "--json", "--details", "--resolver", "127.0.0.53:53", "--helo", cmp.Or(q.helo, "probe.example")}
	if q.mailFrom != "" {
		args = append(args, "--mail-from", q.mailFrom)
	}
	if !q.stranger {
		args = append(args, "--allow-net", "127.0.0.0/8", "--allow-net", "fd00:25::/64")
	}
	ctx, cancel := context.WithTimeout(context.Background(), rcptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv(envRcpt), append(args, q.address)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return record{}, fmt.Errorf("rcpt verify %s: %w: %s", q.address, err, stderr.Bytes())
	}
	var r record
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return record{}, fmt.Errorf("rcpt verify %s: %w in %q", q.address, err, stdout.Bytes())
	}
	return r, nil
}
