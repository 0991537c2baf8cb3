package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
)

// hangsUpAt is a host that ends the session with the refusal of so many
// recipients, and takes some time for each.
func hangsUpAt(refusals int, says string) *peer {
	return &peer{wait: working, rcpt: func(v *visit, mailbox string) string {
		if reply := usual(mailbox); v.refused+1 < refusals || strings.HasPrefix(reply, "2") {
			return reply
		}
		return says
	}}
}

// part is so many mailboxes of a domain, of which so many in a hundred exist.
type part struct {
	mailboxes, living int
	domain            string
}

func (p part) list() []string {
	var list []string
	for i := range p.mailboxes {
		kind := "bad"
		if i*7919%100 < p.living {
			kind = "good"
		}
		list = append(list, fmt.Sprintf("%s%d@%s", kind, i, p.domain))
	}
	return list
}

// TestHostThatHangsUpGetsSmallerTransactions asks hosts that end the session at
// twenty refusals about hundreds of mailboxes, in one list or, where a host is
// known for living mailboxes by then, in two. Those of a transaction that was
// cut short are asked about in ever smaller ones, so that few need a session of
// their own.
func TestHostThatHangsUpGetsSmallerTransactions(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lists []part
		most  int // sessions
	}{
		{"most live", []part{{600, 80, "a.example"}}, 80},
		{"half live", []part{{600, 50, "a.example"}}, 80},
		{"nobody lives", []part{{600, 0, "a.example"}}, 160},
		{"nobody lives any more", []part{{1000, 100, "a.example"}, {600, 0, "a.example"}}, 160},
		{"nobody lives in the next domain", []part{{1000, 100, "a.example"}, {600, 0, "dead.example"}}, 160},
	} {
		for _, says := range []string{closes, "421 4.7.0 too many errors"} {
			t.Run(tt.name+" "+says, func(t *testing.T) {
				host := hangsUpAt(20, says)
				sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
					for _, p := range tt.lists {
						checkVerdicts(b, p)
					}
				})
				t.Logf("%d sessions, %d recipients", len(sessions), len(host.asked()))
				if len(sessions) > tt.most {
					t.Errorf("%d sessions, want at most %d", len(sessions), tt.most)
				}
			})
		}
	}
}

// checkVerdicts asks about all mailboxes of a part: none is wrong, and where
// some exist, all are settled.
func checkVerdicts(b *bubble, p part) {
	b.Helper()
	list := p.list()
	for i, r := range asksAsBulk(b)(aboutAll(list)) {
		want := "dead"
		if strings.HasPrefix(list[i], "good") {
			want = "alive"
		}
		verdict := verdictOf(list[i], r)
		if verdict != want && (verdict != "unknown" || p.living > 0) {
			b.Fatalf("%s is %s:\n%s", list[i], verdict, transcript(r.last()))
		}
	}
}
