package smtpprobe

import "testing"

// TestUnplacedReplyIsAnAnswer holds that a host whose replies may be about others is none that says nothing.
func TestUnplacedReplyIsAnAnswer(t *testing.T) {
	for unplaced, want := range map[bool]bool{true: true, false: false} {
		f := &flight{named: []recipient{{unplaced: unplaced}}}
		if f.answered() != want {
			t.Errorf("unplaced %t: answered %t", unplaced, !want)
		}
	}
}
