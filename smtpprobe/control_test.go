package smtpprobe_test

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestControlRefusedWithoutAName asks hosts that refuse what they do not know
// without saying that, about many mailboxes. What the control's refusal is
// about shows in the reply to an accepted mailbox behind it.
func TestControlRefusedWithoutAName(t *testing.T) {
	const nameless = "550 rejected"
	honest := func(m string) string { return wording{"", "250 ok", nameless}.about(m) }
	takesAll := func(string) string { return "250 ok" }
	for name, tt := range map[string]struct {
		rcpt     func(v *visit, mailbox string) string
		control  int // the code of the control's reply, for accepted mailboxes
		behind   int // of the reply behind it; 0: there is none
		living   int // of a hundred
		named    int // recipients, at most
		sessions int // at most
	}{
		"as it refuses everybody": {
			func(_ *visit, m string) string { return honest(m) }, 550, 250, 80, 330, 30,
		},
		"all live": {
			func(_ *visit, m string) string { return honest(m) }, 550, 250, 100, 250, 20,
		},
		"to all from the second recipient of a session on": {
			func(v *visit, m string) string {
				if v.Named > 0 {
					return nameless
				}
				return takesAll(m)
			}, 550, 550, 100, 1000, 250,
		},
		"to all but the first of a transaction, and takes everything": {
			func(v *visit, m string) string {
				if v.Here > 0 {
					return nameless
				}
				return takesAll(m)
			}, 250, 0, 100, 900, 250,
		},
		"to all but the first of a transaction, and knows its mailboxes": {
			func(v *visit, m string) string {
				if v.Here > 0 {
					return nameless
				}
				return honest(m)
			}, 550, 250, 100, 900, 250,
		},
	} {
		t.Run(name, func(t *testing.T) {
			host := &peer{RCPTFunc: tt.rcpt}
			list := mailboxes(200, living(tt.living), "a.example", "b.example")
			answers, sessions := crowd(t, smtpprobe.Config{}, host, list)
			for i, r := range answers {
				if r.code() != want(list[i]) {
					t.Errorf("%s: %v", list[i], r)
				}
				if !lives(list[i]) {
					continue
				}
				s, behind := r.last(), 0
				if s.Behind != nil {
					behind = s.Behind.Code
				}
				if s.Control == nil || s.Control.Code != tt.control || behind != tt.behind {
					t.Errorf("%s: %v, %d behind the control\n%s", list[i], r, behind, transcript(s))
				}
			}
			named := count(sessions, "RCPT")
			if named > tt.named || len(sessions) > tt.sessions {
				t.Errorf("%d named in %d sessions, want at most %d in %d", named, len(sessions), tt.named, tt.sessions)
			}
			t.Logf("%d named in %d sessions", named, len(sessions))
		})
	}
}
