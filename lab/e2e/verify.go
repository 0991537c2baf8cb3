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
	sourceIP string // default: 127.0.0.1, which has a name; the rest of 127.0.0.0/8 has none
	timeout  time.Duration
	stranger bool // leave out --allow-net: loopback and private addresses stay forbidden
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

// connections counts those that were made.
func (tr transcript) connections() (n int) {
	for _, line := range tr {
		if line.From == "*" && strings.HasPrefix(line.Text, "connect") {
			n++
		}
	}
	return n
}

// rcptTimeout is longer than rcpt's own --timeout: reaching it means that rcpt
// hangs.
const rcptTimeout = time.Minute

// allowNets let the command contact the hosts of this world.
var allowNets = []string{"--allow-net", "127.0.0.0/8", "--allow-net", "fd00:25::/64"}

// flags are those that the question needs.
func (q question) flags() []string {
	args := []string{
		"verify", "--json", "--details", "--resolver", "127.0.0.53:53", "--helo", cmp.Or(q.helo, "probe.example"),
	}
	if q.mailFrom != "" {
		args = append(args, "--mail-from", q.mailFrom)
	}
	if q.sourceIP != "" {
		args = append(args, "--source-ip", q.sourceIP)
	}
	if q.timeout > 0 {
		args = append(args, "--timeout", q.timeout.String())
	}
	if q.stranger { // this world has none of the domains of the network check
		return append(args, "--network-check", "off")
	}
	return append(args, allowNets...)
}

// verify runs the rcpt command.
func verify(q question) (record, error) {
	stdout, err := runRcpt(rcptTimeout, "", append(q.flags(), q.address)...)
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(stdout, &r); err != nil {
		return record{}, fmt.Errorf("rcpt verify %s: %w in %q", q.address, err, stdout)
	}
	return r, nil
}

func runRcpt(timeout time.Duration, stdin string, args ...string) (stdout []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv(envRcpt), args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
	if stdout, err = cmd.Output(); err != nil {
		return nil, fmt.Errorf("rcpt %s: %w: %s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout, nil
}
