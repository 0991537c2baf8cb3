package smtpprobe_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// mostTries is how often one mailbox may be named to a host for one ask: twice
// with others, in a transaction that was believed for others only, and alone;
// and as often again where the host had turned.
const mostTries = 6

// company is 120 asks at once about two domains of one host, one in three for a
// mailbox that does not exist.
func company() []string {
	return mailboxes(120, func(i int) bool { return i%3 == 1 }, "a.example", "b.example")
}

// once does something the first time only.
func once(do func() string) func() string {
	var o sync.Once
	return func() (text string) {
		o.Do(func() { text = do() })
		return text
	}
}

func always(text string) func() string { return func() string { return text } }

// after has a host act when n recipients were named in a session.
func after(n int, act func() string) func(*visit, string) string {
	return func(v *visit, _ string) string {
		if v.named >= n {
			return act()
		}
		return ""
	}
}

// at has a host act at a command.
func at(verb, act string) func(*visit, string) string {
	return func(_ *visit, command string) string {
		if command == verb {
			return act
		}
		return ""
	}
}

// burst are hosts that lose patience with many recipients, while to each of
// them alone they tell the truth.
var burst = []struct {
	name string
	host func() *peer
}{
	{"patient", func() *peer { return &peer{} }},
	{"byte by byte", func() *peer { return &peer{chop: true} }},
	{"limit of 1", limit(1, "452 4.5.3 Too many recipients")},
	{"limit of 2", limit(2, "452 4.5.3 Too many recipients")},
	{"limit of 3", limit(3, "452 4.5.3 Too many recipients")},
	{"limit of 7, no enhanced code", limit(7, "452 too many recipients")},
	{"limit of 5, 450", limit(5, "450 4.5.3 too many")},
	{"limit of 5, for good", limit(5, "552 5.5.3 too many")},
	{"limit of 12", limit(12, "452 4.5.3 too many")},
	{"421 after 5 refused", refusals(5, "421 4.7.0 Too many errors")},
	{"421 after 20 refused", refusals(20, "421 4.7.0 Too many errors")},
	{"421 without a reason", func() *peer { return &peer{rcpt: after(7, always("421 4.3.2 closing"))} }},
	{"421 that names a mailbox", func() *peer { return &peer{rcpt: after(7, always("421 5.1.1 no such user"))} }},
	{"hangs up once", func() *peer { return &peer{rcpt: after(7, once(func() string { return closes }))} }},
	{"resets once", func() *peer { return &peer{rcpt: after(7, once(func() string { return resets }))} }},
	{"silent once", func() *peer { return &peer{rcpt: after(7, once(func() string { return hangs }))} }},
	{"hangs up after 3", func() *peer { return &peer{rcpt: after(3, always(closes))} }},
	{"hangs up after 7", func() *peer { return &peer{rcpt: after(7, always(closes))} }},
	{"resets after 7", func() *peer { return &peer{rcpt: after(7, always(resets))} }},
	{"refuses all after 5", func() *peer { return &peer{rcpt: after(5, always("550 5.7.1 Too many recipients"))} }},
	{"rejects after 5", func() *peer { return &peer{rcpt: after(5, always("550 rejected"))} }},
	{"rejects after 5, no codes", func() *peer {
		return &peer{rcpt: func(v *visit, m string) string {
			switch {
			case v.named >= 5:
				return "550 rejected"
			case strings.HasPrefix(m, "good"):
				return "250 ok"
			}
			return "550 no such user"
		}}
	}},
	{"blocks after 5", func() *peer { return &peer{rcpt: after(5, always("554 5.7.1 Client host blocked using a list"))} }},
	{"slower and slower", func() *peer {
		return &peer{wait: func(v *visit, _ string) time.Duration { return time.Duration(v.refused) * 100 * time.Millisecond }}
	}},
	{"second a recipient", func() *peer { return &peer{wait: func(*visit, string) time.Duration { return time.Second }} }},
	{"knows no RSET", func() *peer { return &peer{other: at("RSET", "502 5.5.1 what?")} }},
	{"one message per session", func() *peer {
		return &peer{other: func(v *visit, c string) string {
			if strings.HasPrefix(c, "MAIL") && v.mailed > 0 {
				return "452 4.5.0 one message per session"
			}
			return ""
		}}
	}},
}

// limit takes n recipients in a transaction.
func limit(n int, text string) func() *peer {
	return func() *peer {
		return &peer{rcpt: func(v *visit, _ string) string {
			if v.accepted >= n {
				return text
			}
			return ""
		}}
	}
}

// refusals is a host that has enough after n refusals in a session.
func refusals(n int, text string) func() *peer {
	return func() *peer {
		return &peer{rcpt: func(v *visit, _ string) string {
			if v.refused >= n {
				return text
			}
			return ""
		}}
	}
}

func TestCompany(t *testing.T) {
	for _, tt := range burst {
		for _, keywords := range []string{"PIPELINING", "SIZE"} {
			t.Run(tt.name+" "+keywords, func(t *testing.T) {
				host := tt.host()
				host.keywords = keywords
				found, sessions := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, company())
				for m, f := range found { // a mailbox at which the host falls silent owns that
					if strings.HasPrefix(tt.name, "silent") && (told{found: f}).last().Target == nil {
						delete(found, m)
					}
				}
				if len(found) < len(company())-2 {
					t.Errorf("%d of %d were answered", len(found), len(company()))
				}
				checkTruth(t, found)
				named := map[string]int{}
				for _, m := range host.asked() {
					named[m]++
				}
				again := 0
				for _, m := range company() {
					again += named[m] - 1
					if named[m] > mostTries && strings.HasPrefix(m, "bad") { // good ones are named as a proof, too
						t.Errorf("%s was named %d times", m, named[m])
					}
				}
				if len(sessions) > 3*len(company())/2 {
					t.Errorf("%d sessions for %d mailboxes", len(sessions), len(company()))
				}
				t.Logf("%d sessions, %d MAIL, %d RCPT, %d again", len(sessions), count(sessions, "MAIL"), count(sessions, "RCPT"), again)
			})
		}
	}
}

// TestEndAtRSET is about hosts that leave when the recipients of a group are
// answered: in the end each is asked about alone.
func TestEndAtRSET(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(*visit, string) string
		mails int           // that the company may cost
		took  time.Duration // at most
	}{
		{"hangs up when many", func(v *visit, c string) string {
			if v.named < 8 {
				return ""
			}
			return at("RSET", closes)(v, c)
		}, 200, time.Second},
		{"silent", at("RSET", hangs), 300, 15 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2, MaxWaitingPerHost: 120}, one(&peer{other: tt.end}), func(b *bubble) {
				begun := time.Now()
				for i, r := range b.askAll(aboutAll(company())) {
					if r.last().Target == nil {
						b.Errorf("%s: %s (%v)", company()[i], summaries(r.found), r.err)
					}
				}
				if took := time.Since(begun); took > tt.took {
					b.Errorf("took %v", took)
				}
			})
			if n := count(sessions, "MAIL"); n > tt.mails {
				t.Errorf("%d transactions", n)
			}
		})
	}
}

// TestFirstInCompanyIsTold holds that the silence which meets the first
// recipient of a fresh session is the answer: nothing before can have brought
// it about, and to ask again would take as long once more.
func TestFirstInCompanyIsTold(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(&peer{rcpt: func(*visit, string) string { return hangs }}), func(b *bubble) {
		soonest := time.Hour
		for _, r := range b.askAll(aboutAll(company()[:5])) {
			soonest = min(soonest, r.took)
		}
		if soonest > 25*time.Second {
			b.Errorf("the first was told after %v", soonest)
		}
	})
}

// TestCrowdedOut holds that a host which takes no session any more, right after
// it took one, is tried a few times and no more.
func TestCrowdedOut(t *testing.T) {
	host := &peer{greet: func(v *visit) string {
		if v.number == 1 {
			return "220 mx"
		}
		return "421 4.7.0 too many sessions"
	}}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, Session: smtpprobe.SessionCaps{Idle: time.Millisecond}}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example"))
		time.Sleep(100 * time.Millisecond)
		r := b.ask(b.Context(), about("good1@a.example"))
		if last := r.last(); last.Greeting == nil || last.Greeting.Code != 421 {
			b.Errorf("found %s (%v)", summaries(r.found), r.err)
		}
	})
	if len(sessions) != 4 {
		t.Errorf("%d sessions, want one, one for the question and two more", len(sessions))
	}
}

// TestSlowHostGetsSmallGroups checks that transactions are small where each
// recipient takes long: those in it wait for all of them.
func TestSlowHostGetsSmallGroups(t *testing.T) {
	most := 0
	host := &peer{wait: func(*visit, string) time.Duration { return time.Second }, rcpt: func(v *visit, _ string) string {
		if v.mailed > 1 {
			most = max(most, v.here+1)
		}
		return "250 2.1.5 Ok"
	}}
	_, _ = crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, mailboxes(40, func(int) bool { return false }, "a.example"))
	if most < 2 || most > 3 {
		t.Errorf("%d recipients of a second each in a transaction", most)
	}
}

// TestGreylistedIsNotAskedAgain is about a host that greylists, asked in a
// session that was kept: to ask again at once is what greylisting is against.
func TestGreylistedIsNotAskedAgain(t *testing.T) {
	host := &peer{rcpt: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "grey") {
			return "451 4.7.1 Greylisted, please try again later"
		}
		return ""
	}}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example"))
		if r := b.ask(b.Context(), about("grey@a.example")); r.last().Target == nil || r.last().Target.Code != 451 {
			b.Errorf("found %s (%v)", summaries(r.found), r.err)
		}
	})
	if n := count(sessions, "RCPT TO:<grey@"); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
