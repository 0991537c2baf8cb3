package rcpt

import (
	"strings"
	"testing"
)

// TestOctets checks that all which strangers can make long is counted.
func TestOctets(t *testing.T) {
	const size = 10_000
	long := strings.Repeat("x", size)
	bare := Result{Details: &Details{}}.Size()
	for name, r := range map[string]Result{
		"email":      {Email: long, Details: &Details{}},
		"user":       {Local: long, Details: &Details{}},
		"suggestion": {Suggestion: long, Details: &Details{}},
		"reply":      {Details: &Details{SMTP: &SMTPAnswer{Text: long}}},
		"exchanger":  {Details: &Details{MX: []MX{{Host: long}}}},
		"exchangers": {Details: &Details{MX: make([]MX, size/mxCost+1)}},
		"dialogue":   {Details: &Details{Transcript: []Line{{Text: long}}}},
		"lines":      {Details: &Details{Transcript: make([]Line, size/lineCost+1)}},
	} {
		if got := r.Size(); got < bare+size || got > bare+size+100 {
			t.Errorf("%s: %d octets, and %d without", name, got, bare)
		}
	}
}
