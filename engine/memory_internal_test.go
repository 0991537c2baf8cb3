package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestOctets checks that all which strangers can make long is counted.
func TestOctets(t *testing.T) {
	const size = 10_000
	long := strings.Repeat("x", size)
	bare := Result{Details: &Details{}}.Size()
	for name, r := range map[string]Result{
		"email":      {Email: long, Details: &Details{}},
		"user":       {User: long, Details: &Details{}},
		"suggestion": {Details: &Details{Suggestion: long}},
		"reply":      {Details: &Details{SMTP: &SMTPAnswer{Text: long}}},
		"exchanger":  {Details: &Details{MX: []MX{{Host: long}}}},
		"exchangers": {Details: &Details{MX: make([]MX, size/mxCost+1)}},
		"dialogue":   {Details: &Details{Transcript: []smtp.Line{{Text: long}}}},
		"lines":      {Details: &Details{Transcript: make([]smtp.Line, size/lineCost+1)}},
	} {
		if got := r.Size(); got < bare+size || got > bare+size+100 {
			t.Errorf("%s: %d octets, and %d without", name, got, bare)
		}
	}
}

// TestGivenAddressIsCounted checks that what is remembered is counted with the
// spelling that it is found by, however long that is.
func TestGivenAddressIsCounted(t *testing.T) {
	m, err := newMemory(2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	result := Result{Success: true, Verdict: VerdictUndeliverable, Details: &Details{Reason: ReasonInvalidSyntax, CheckedAt: time.Now()}}
	short, long := "a", strings.Repeat("x", 2*resultCost)
	for _, address := range []string{short, long} {
		m.keep(address, result)
	}
	m.store.Wait()
	if _, ok := m.recall(short); !ok {
		t.Error("nothing is remembered")
	}
	if _, ok := m.recall(long); ok {
		t.Error("more is remembered than there is room for")
	}
}
