//go:build e2e && linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// envSkip is set to what the suite lacks where it cannot run.
const envSkip = "RCPT_E2E_SKIP"

// TestMain runs the tests inside a world of their own. The outer process only
// makes it: see enterWorld.
func TestMain(m *testing.M) {
	if os.Getenv(envWorld) != "" {
		os.Exit(m.Run())
	}
	code, err := enterWorld()
	if skip := (cannotRun{}); errors.As(err, &skip) {
		os.Setenv(envSkip, skip.why)
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func TestRealServers(t *testing.T) {
	if why := os.Getenv(envSkip); why != "" {
		t.Skip("the end-to-end suite cannot run here: " + why)
	}
	w, err := newWorld(os.Getenv(envWorld), os.Getenv(envArchives))
	if skip := (cannotRun{}); errors.As(err, &skip) {
		t.Skip("the end-to-end suite cannot run here: " + skip.why)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Run("verdicts", func(t *testing.T) {
		for _, group := range []struct {
			name  string
			cases []verdict
		}{
			{"Postfix", postfixCases()},
			{"Exim", eximCases()},
			{"OpenSMTPD", opensmtpdCases()},
			{"DNS", dnsCases()},
		} {
			for _, c := range group.cases {
				t.Run(group.name+"/"+c.name, func(t *testing.T) { t.Parallel(); c.check(t) })
			}
		}
		t.Run("Postfix/greylisting passes", func(t *testing.T) { t.Parallel(); testGreylisting(t) })
		t.Run("Postfix/postscreen's deep tests", func(t *testing.T) { t.Parallel(); testDeepPostscreen(t) })
		t.Run("Postfix/refusals", func(t *testing.T) { t.Parallel(); testErrorLimits(t) })
		t.Run("Postfix/connection rate", func(t *testing.T) { t.Parallel(); testConnectionRate(t) })
	})
	t.Run("situations", func(t *testing.T) { testSituations(t, w.situations) })
	t.Run("egresses", func(t *testing.T) { testEgresses(t, w) })
	t.Run("pool of egresses", func(t *testing.T) { testPool(t, w) })
	t.Run("courtesy", func(t *testing.T) { testCourtesy(t, w) })
}

// check asks and compares.
func (v verdict) check(t *testing.T) {
	t.Helper()
	got, err := verify(v.ask)
	if err != nil {
		t.Fatal(err)
	}
	details := got.Details
	if got.Result != v.result || details.Reason != v.reason || !got.Success {
		t.Errorf("%s is %s (%s), success %t, want %s (%s)\n%s",
			v.ask.address, got.Result, details.Reason, got.Success, v.result, v.reason, details.Transcript)
	}
	if v.host != "" && details.SMTP.Host != v.host {
		t.Errorf("%s was answered by %q, want %q\n%s", v.ask.address, details.SMTP.Host, v.host, details.Transcript)
	}
	if proven := got.Result == "accept-all"; proven != (got.AcceptAll == 1) || proven != (details.CatchAll == "yes") {
		t.Errorf("%s is %s with accept_all %d and catch_all %q", v.ask.address, got.Result, got.AcceptAll, details.CatchAll)
	}
	details.Transcript.checkVerbs(t)
}

// checkVerbs reads the client's own record, too: postscreen does not record
// commands after the greeting.
func (tr transcript) checkVerbs(t *testing.T) {
	t.Helper()
	harmless := []string{"EHLO", "HELO", "STARTTLS", "MAIL", "RCPT", "RSET", "QUIT"}
	for _, line := range tr {
		verb, _, _ := strings.Cut(line.Text, " ")
		if line.From == "C" && !slices.Contains(harmless, verb) {
			t.Errorf("the client said %q", line.Text)
		}
	}
}

// testGreylisting asks for one mailbox until postgrey lets the question
// through.
func testGreylisting(t *testing.T) {
	mailbox := at("alice@greylast.pf.example")
	verdict{ask: mailbox, result: "unknown", reason: "greylisted"}.check(t)
	var got record
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		var err error
		if got, err = verify(mailbox); err != nil {
			t.Fatal(err)
		}
		if got.Details.Reason != "greylisted" {
			break
		}
	}
	if got.Result != "deliverable" {
		t.Errorf("after greylisting, the mailbox is %s (%s)\n%s", got.Result, got.Details.Reason, got.Details.Transcript)
	}
}

// testDeepPostscreen: the first session only is a test, which ends with "450
// 4.3.2 Service currently unavailable".
func testDeepPostscreen(t *testing.T) {
	verdict{ask: at("alice@deep.pf.example"), result: "unknown", reason: "temporary_failure"}.check(t)
	verdict{ask: at("alice@deep.pf.example"), result: "deliverable", reason: "recipient_accepted"}.check(t)
	verdict{ask: at("nosuch@deep.pf.example"), result: "undeliverable", reason: "mailbox_not_found"}.check(t)
}

// testConnectionRate: one connection is let in, the next is greeted with 421.
func testConnectionRate(t *testing.T) {
	verdict{ask: at("alice@rate.pf.example"), result: "deliverable", reason: "recipient_accepted"}.check(t)
	verdict{ask: at("nosuch@rate.pf.example"), result: "unknown", reason: "rate_limited"}.check(t)
}

// testCourtesy reads the servers' records of all the sessions before: never
// DATA, always QUIT.
func testCourtesy(t *testing.T, w *world) {
	sessions, err := w.sessions()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, s := range sessions {
		seen[s.server]++
		if s.data {
			t.Errorf("%s was sent DATA: %s", s.server, s.line)
		}
		if s.left {
			t.Errorf("%s was left without QUIT: %s", s.server, s.line)
		}
	}
	testScriptedCourtesy(t, w)
	if visits := w.led.Load(); visits > 0 {
		t.Errorf("%d connections to reserved addresses that were not allowed", visits)
	}
	t.Logf("sessions recorded: %v", seen)
	for server, cases := range map[string][]verdict{"postfix": postfixCases(), "exim": eximCases(), "opensmtpd": opensmtpdCases()} {
		// What is refused before the greeting is no session.
		if seen[server] < len(cases)/2 {
			t.Errorf("%s recorded %d sessions for %d cases: the record is not complete", server, seen[server], len(cases))
		}
	}
}
