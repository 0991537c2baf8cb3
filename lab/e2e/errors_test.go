//go:build e2e && linux

package e2e

import (
	"fmt"
	"net"
	"net/textproto"
	"testing"
	"time"
)

// testErrorLimits holds what smtpprobe knows of Postfix with its defaults
// against Postfix: behind ten refusals it delays each reply, that to RSET, too,
// by a second (smtpd_soft_error_limit, smtpd_error_sleep_time), and behind
// twenty it hangs up (smtpd_hard_error_limit).
func testErrorLimits(t *testing.T) {
	conn, err := net.Dial("tcp", "127.0.0.11:25")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	c := textproto.NewConn(conn)
	code := func(command string) int {
		if command != "" {
			if err := c.PrintfLine("%s", command); err != nil {
				t.Fatal(err)
			}
		}
		code, _, err := c.ReadResponse(0)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return code
	}
	refused := func(n int) {
		t.Helper()
		code("MAIL FROM:<>")
		for i := range n {
			if got := code(fmt.Sprintf("RCPT TO:<nosuch%d@local.pf.example>", i)); got != 550 {
				t.Fatalf("recipient %d: %d", i, got)
			}
		}
	}
	code("")
	code("EHLO probe.example")
	refused(10)
	since := time.Now()
	code("RSET")
	if took := time.Since(since); took < 900*time.Millisecond {
		t.Errorf("behind ten refusals, RSET took %v", took)
	}
	refused(10)
	if got := code("RSET"); got != 421 {
		t.Errorf("behind twenty refusals, RSET is answered with %d", got)
	}
}
