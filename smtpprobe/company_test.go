package smtpprobe_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// mostTries is how often one mailbox may be named to a host for one ask: twice
// with others, in a transaction that was believed for others only, and alone;
// and as often again where the host had turned.
const mostTries = 6

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
		if v.Named >= n {
			return act()
		}
		return ""
	}
}

// at has a host act at a command.
func at(verb, act string) func(v *visit, command, due string) string {
	return func(_ *visit, command, _ string) string {
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
	{"byte by byte", func() *peer { return &peer{ByteDelay: 1} }},
	{"limit of 1", limit(1, "452 4.5.3 Too many recipients")},
	{"limit of 2", limit(2, "452 4.5.3 Too many recipients")},
	{"limit of 3", limit(3, "452 4.5.3 Too many recipients")},
	{"limit of 7, no enhanced code", limit(7, "452 too many recipients")},
	{"limit of 5, 450", limit(5, "450 4.5.3 too many")},
	{"limit of 5, for good", limit(5, "552 5.5.3 too many")},
	{"limit of 12", limit(12, "452 4.5.3 too many")},
	{"421 after 5 refused", refusals(5, "421 4.7.0 Too many errors")},
	{"421 after 20 refused", refusals(20, "421 4.7.0 Too many errors")},
	{"421 without a reason", func() *peer { return &peer{RCPTFunc: after(7, always("421 4.3.2 closing"))} }},
	{"421 that names a mailbox", func() *peer { return &peer{RCPTFunc: after(7, always("421 5.1.1 no such user"))} }},
	{"hangs up once", func() *peer { return &peer{RCPTFunc: after(7, once(func() string { return closes }))} }},
	{"resets once", func() *peer { return &peer{RCPTFunc: after(7, once(func() string { return resets }))} }},
	{"silent once", func() *peer { return &peer{RCPTFunc: after(7, once(func() string { return hangs }))} }},
	{"hangs up after 3", func() *peer { return &peer{RCPTFunc: after(3, always(closes))} }},
	{"hangs up after 7", func() *peer { return &peer{RCPTFunc: after(7, always(closes))} }},
	{"resets after 7", func() *peer { return &peer{RCPTFunc: after(7, always(resets))} }},
	{"refuses all after 5", func() *peer { return &peer{RCPTFunc: after(5, always("550 5.7.1 Too many recipients"))} }},
	{"rejects after 5", func() *peer { return &peer{RCPTFunc: after(5, always("550 rejected"))} }},
	{"rejects after 5, no codes", func() *peer {
		return &peer{RCPTFunc: func(v *visit, m string) string {
			switch {
			case v.Named >= 5:
				return "550 rejected"
			case strings.HasPrefix(m, "good"):
				return "250 ok"
			}
			return "550 no such user"
		}}
	}},
	{"blocks after 5", func() *peer { return &peer{RCPTFunc: after(5, always("554 5.7.1 Client host blocked using a list"))} }},
	{"slower and slower", func() *peer {
		return &peer{RCPTFunc: waits(func(v *visit, _ string) time.Duration { return time.Duration(v.Refused) * 100 * time.Millisecond })}
	}},
	{"second a recipient", func() *peer { return &peer{RCPTDelay: time.Second} }},
	{"knows no RSET", func() *peer { return &peer{Say: at("RSET", "502 5.5.1 what?")} }},
	{"one message per session", func() *peer {
		return &peer{Say: func(v *visit, c, _ string) string {
			if strings.HasPrefix(c, "MAIL") && v.Mailed > 0 {
				return "452 4.5.0 one message per session"
			}
			return ""
		}}
	}},
}

// waits has a host wait before it answers about a mailbox.
func waits(how func(v *visit, mailbox string) time.Duration) func(*visit, string) string {
	return func(v *visit, m string) string {
		v.Sleep(how(v, m))
		return ""
	}
}

// limit takes n recipients in a transaction.
func limit(n int, text string) func() *peer {
	return func() *peer {
		return &peer{RCPTFunc: func(v *visit, _ string) string {
			if v.Accepted >= n {
				return text
			}
			return ""
		}}
	}
}

// refusals is a host that has enough after n refusals in a session.
func refusals(n int, text string) func() *peer {
	return func() *peer {
		return &peer{RCPTFunc: func(v *visit, _ string) string {
			if v.Refused >= n {
				return text
			}
			return ""
		}}
	}
}

// TestCompany has 120 ask at once, at hosts that lose patience with many
// recipients: all answers are true, and few mailboxes are named often.
func TestCompany(t *testing.T) {
	for _, tt := range burst {
		for _, inTurn := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " in turn ", inTurn), func(t *testing.T) {
				host, list := tt.host(), company()
				host.NoPipelining = inTurn
				answers, sessions := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, list)
				// A mailbox at which the host falls silent owns that.
				for i := range slices.Backward(list) {
					if strings.HasPrefix(tt.name, "silent") && answers[i].code() == 0 {
						list, answers = slices.Delete(list, i, i+1), slices.Delete(answers, i, i+1)
					}
				}
				if len(list) < len(company())-2 {
					t.Errorf("%d of %d were answered", len(list), len(company()))
				}
				checkTruth(t, list, answers)
				for i, m := range list {
					checkTranscript(t, m, answers[i].last())
				}
				named := map[string]int{}
				for _, m := range host.Recipients() {
					named[m]++
				}
				for _, m := range list {
					if named[m] > mostTries && want(m) == 550 { // good ones are named as a proof, too
						t.Errorf("%s was named %d times", m, named[m])
					}
				}
				if len(sessions) > 3*len(company())/2 {
					t.Errorf("%d sessions for %d mailboxes", len(sessions), len(company()))
				}
			})
		}
	}
}

// TestEndAtRSET is about hosts that leave when the recipients of a group are
// answered: in the end each is asked about alone.
func TestEndAtRSET(t *testing.T) {
	for _, tt := range []struct {
		name  string
		end   func(v *visit, command, due string) string
		mails int           // that the company may cost
		took  time.Duration // at most
	}{
		{"hangs up when many", func(v *visit, c, due string) string {
			if v.Named < 8 {
				return ""
			}
			return at("RSET", closes)(v, c, due)
		}, 200, time.Second},
		{"silent", at("RSET", hangs), 300, 15 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := smtpprobe.Config{MaxSessionsPerHost: 3} // one is kept for single checks
			sessions := inBubble(t, config, one(&peer{Say: tt.end}), func(b *bubble) {
				begun := time.Now()
				b.checkAnswered(b.askAll(patient(aboutAll(company()))), 0)
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

// TestUselessSessionsAreFew is about hosts that refuse RSET, or all but the
// first recipient of a transaction as an unknown command. The pool stops asking
// them soon, or each session settles four mailboxes.
func TestUselessSessionsAreFew(t *testing.T) {
	for name, host := range map[string]*peer{
		"RSET is refused": {Say: at("RSET", "550 no")},
		"no PIPELINING": {RCPTFunc: func(v *visit, _ string) string {
			if v.Here > 0 {
				return "500 what?"
			}
			return ""
		}},
	} {
		t.Run(name, func(t *testing.T) {
			list := mailboxes(500, every(4), "a.example")
			answers, sessions := crowd(t, smtpprobe.Config{}, host, list)
			settled := 0
			for _, r := range answers {
				if r.code() != 0 && r.code() != 500 {
					settled++
				}
			}
			if len(sessions) > len(list)/10+settled/4 {
				t.Errorf("%d sessions, %d mailboxes settled", len(sessions), settled)
			}
		})
	}
}

// checks is a host of smtptest that has the mailboxes that exist.
func checks() *smtptest.Host {
	return &smtptest.Host{RCPTFunc: func(_ *smtptest.Visit, rcpt string) string { return enhanced.about(rcpt) }}
}

// TestHostAtItsLimit is about a host that takes no session any more, right
// after it took one: it is tried a few times and no more. Where it takes the
// third, an answer that is not believed there takes a second one.
func TestHostAtItsLimit(t *testing.T) {
	for _, until := range []int{3, 1000} {
		host := &peer{RCPTFunc: choosy, Say: func(v *visit, command, _ string) string {
			if command == "" && v.Number > 1 && v.Number <= until {
				return "421 4.7.0 too many sessions"
			}
			return ""
		}}
		config := smtpprobe.Config{MaxSessionsPerHost: 1, Session: smtpprobe.SessionCaps{Idle: time.Millisecond}}
		sessions := inBubble(t, config, one(host), func(b *bubble) {
			_ = b.ask(b.Context(), about("good@a.example")) // the control
			time.Sleep(100 * time.Millisecond)
			var wg sync.WaitGroup
			wg.Go(func() {
				r := b.ask(b.Context(), about("bad@a.example"))
				if greeting := r.last().Greeting; until > 3 && (greeting == nil || greeting.Code != 421) || until == 3 && r.code() != 550 {
					b.Errorf("until %d: %v", until, r)
				}
			})
			if until == 3 {
				time.Sleep(100 * time.Millisecond)
				_ = b.askAll(aboutAll([]string{"good1@a.example", "good2@a.example"}))
			}
			wg.Wait()
		})
		if n := count(sessions, "RCPT TO:<bad@"); until == 3 && n != 2 {
			t.Errorf("asked %d times", n)
		}
		if until > 3 && len(sessions) != 4 {
			t.Errorf("%d sessions, want one, one for the question and two more", len(sessions))
		}
	}
}

// TestSlowHostGetsSmallGroups checks that transactions are small where each
// recipient takes long: those in it wait for all of them. One is a proof.
func TestSlowHostGetsSmallGroups(t *testing.T) {
	most := 0
	host := &peer{RCPTDelay: time.Second, RCPTFunc: func(v *visit, _ string) string {
		if v.Mailed > 1 {
			most = max(most, v.Here+1)
		}
		return "250 2.1.5 Ok"
	}}
	crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, mailboxes(40, none, "a.example"))
	if most < 2 || most > 4 {
		t.Errorf("%d recipients of a second each in a transaction", most)
	}
}

// TestGreylistedIsNotAskedAgain is about a host that greylists, asked in a
// session that was kept: to ask again at once is what greylisting is against.
func TestGreylistedIsNotAskedAgain(t *testing.T) {
	host := &peer{RCPTFunc: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "grey") {
			return "451 4.7.1 Greylisted, please try again later"
		}
		return ""
	}}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example"))
		b.checkAnswered([]told{b.ask(b.Context(), about("grey@a.example"))}, 451)
	})
	if n := count(sessions, "RCPT TO:<grey@"); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
