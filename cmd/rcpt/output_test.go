package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func TestText(t *testing.T) {
	result := rcpt.Result{
		Email: "info@acme.example", Local: "info", Domain: "acme.example", Role: true, Disposable: true, Verdict: rcpt.VerdictUnknown, Message: "The mail host asks every new sender to come back later.",
		Reason: rcpt.ReasonGreylisted, RetryAt: time.Time{}.Add(5 * time.Minute), Suggestion: "info@acne.example", Details: &rcpt.Details{SMTP: &rcpt.SMTPAnswer{Host: "mx.acme.example", IP: "192.0.2.1", Phase: smtp.PhaseRCPT, Code: 451, Enhanced: "4.7.1",
			Text: "Come \x1b[2Jback\u202e later\r\n"}, Transcript: []smtp.Line{{From: "S", Text: "220 mx\x07", At: 12 * time.Millisecond}, {From: "C", Text: "QUIT", At: 1200 * time.Millisecond}}},
	}
	const short = `unknown        info@acme.example
    The mail host asks every new sender to come back later.
    reason    greylisted
    flags     role, disposable
    said      451 4.7.1 Come �[2Jback� later��  (mx.acme.example [192.0.2.1], rcpt)
    retry in  5m0s
    perhaps   info@acne.example
`
	const transcript = `        12 ms  S  220 mx�
      1200 ms  C  QUIT
`
	for want, printer := range map[string]*textPrinter{
		short:              {},
		short + transcript: {details: true},
		strings.Replace(short, "unknown      ", "\x1b[1;33munknown      \x1b[0m", 1): {colour: true},
	} {
		var out strings.Builder
		printer.out = &out
		if err := printer.print(result); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("details %v, colour %v (-want +got):\n%s", printer.details, printer.colour, diff)
		}
	}
}

// TestTextWithoutDetails: a result of invalid syntax, or of another program,
// may have no details.
func TestTextWithoutDetails(t *testing.T) {
	var out strings.Builder
	err := (&textPrinter{out: &out, details: true}).print(rcpt.Result{Email: "nothing\x00", Verdict: rcpt.VerdictUndeliverable, Message: "No."})
	if want := "undeliverable  nothing�\n    No.\n"; err != nil || out.String() != want {
		t.Errorf("got %q, error %v, want %q", out.String(), err, want)
	}
}

// TestPrintError: an error of several lines is printed as one line.
func TestPrintError(t *testing.T) {
	var printed strings.Builder
	printError(&printed, errors.New("no connection:\n\tone try\n\tanother\nthe end\x1b"))
	if want := "rcpt: no connection: one try; another; the end\ufffd\n"; printed.String() != want {
		t.Errorf("%q, want %q", printed.String(), want)
	}
}
