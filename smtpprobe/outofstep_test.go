package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestOutOfStep is about hosts that send one reply too many somewhere in a
// session: a mailbox in company must not get the answer about another. Where
// only the first session is so, only a mailbox that was alone in it goes
// without an answer.
func TestOutOfStep(t *testing.T) {
	places := map[string]func(v *visit, command string) bool{
		"behind EHLO":        func(_ *visit, c string) bool { return strings.HasPrefix(c, "EHLO") },
		"behind MAIL":        func(_ *visit, c string) bool { return strings.HasPrefix(c, "MAIL") },
		"behind 2nd MAIL":    func(v *visit, c string) bool { return strings.HasPrefix(c, "MAIL") && v.mailed == 2 },
		"behind 1st RCPT":    func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT") && v.named == 1 },
		"behind 3rd RCPT":    func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT") && v.named == 3 },
		"behind 12th RCPT":   func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT") && v.named == 12 },
		"behind the 1st bad": func(v *visit, c string) bool { return strings.HasPrefix(c, "RCPT TO:<bad") && v.refused == 1 },
		"behind RSET":        func(_ *visit, c string) bool { return strings.HasPrefix(c, "RSET") },
	}
	for place, here := range places {
		for _, text := range []string{"250 ok", "550 5.1.1 no such user", "452 4.2.2 full"} {
			for _, keywords := range []string{"PIPELINING", "SIZE"} {
				for _, sessions := range []int{1, 1000} {
					t.Run(fmt.Sprintf("%s %s, %s, %d sessions", place, text, keywords, sessions), func(t *testing.T) {
						host := &peer{keywords: keywords, after: func(v *visit, command string) string {
							if v.number <= sessions && here(v, command) {
								return text
							}
							return ""
						}}
						// Controls are known before, so that the company
						// consists of targets alone.
						list := append([]string{"good@a.example", "good@b.example"}, company()...)
						found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, list)
						unanswered := 0
						for m, f := range found {
							switch last := (told{found: f}).last(); {
							case last.Target == nil:
								unanswered++
							case last.Target.Code/100 != 4 && fmt.Sprint(last.Target.Code) != usual(m)[:3]:
								t.Errorf("%s: %s", m, summaries(f))
							}
						}
						if sessions == 1 && place != "behind EHLO" && unanswered > 1 {
							t.Errorf("%d without an answer", unanswered)
						}
					})
				}
			}
		}
	}
}

// TestReplyWithoutEnd is about a host one of whose replies lacks its last line,
// so that the next reply seems to be that line: there is one reply too few, and
// the one to RSET is taken for that about the last recipient.
func TestReplyWithoutEnd(t *testing.T) {
	for _, odd := range company() {
		t.Run(odd, func(t *testing.T) {
			host := &peer{keywords: "PIPELINING", rcpt: func(_ *visit, m string) string {
				if m == odd {
					return usual(m)[:3] + "-the last line is missing"
				}
				return ""
			}}
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, company())
			for m, f := range found {
				last := (told{found: f}).last()
				if m != odd && last.Target != nil && last.Target.Code/100 != 4 && fmt.Sprint(last.Target.Code) != usual(m)[:3] {
					t.Errorf("%s: %s", m, summaries(f))
				}
				if last.Control != nil && last.Control.Code == 250 && !strings.Contains(m, "@all") {
					t.Errorf("%s: control accepted: %s", m, summaries(f))
				}
			}
		})
	}
}

// TestReplyToMAILIsMissing is about a host that leaves out the reply to MAIL,
// or to something before it, in a group: each reply moves to the command before
// its own, and the one about the control to the target. Its words give it away.
func TestReplyToMAILIsMissing(t *testing.T) {
	for _, replies := range []string{
		"S: 250 2.1.5 ok\nS: 550 5.1.1 no such user\n",
		"S: 250 <Alice@example.com>, recipient ok\nS: 550 no such user\n",
		"S: 250 ok\nS: 550 <random@example.com>: no such user\n",
	} {
		for _, end := range []string{"hang", "sleep 5s\nclose", "sleep 5s\nS: 421 4.4.2 timeout\nclose"} {
			o := probe(t, setting{}, smtptest.Script(group+replies+end))
			if last := o.found.Sessions[0]; last.Target != nil || last.Failure == nil {
				t.Errorf("%s%s: found %s\n%s", replies, end, summaries(o.found), transcript(last))
			}
		}
	}
}

// TestDifferentEnhancedCodes is about a refusal whose lines begin with
// different enhanced status codes: its last line may be missing, and the next
// refusal read as its end.
func TestDifferentEnhancedCodes(t *testing.T) {
	const believed, doubted = "greeting 220, ehlo 250, mail 250, target 550, control 550", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"
	for _, tt := range []struct{ target, found string }{
		{"S: 550-5.7.0 we know you\nS: 550 5.1.1 no such user\n", doubted},
		{"S: 550-5.7.0 we know you\nS: 550-and so\nS: 550 5.1.1 no such user\n", doubted},
		{"S: 550-5.1.1 no such\nS: 550-user\nS: 550 5.1.1 here\n", believed},
		{"S: 550 5.1.1 5.7.0 says the host behind this one\n", believed},
		{"S: 550-5.1.1 it says\nS: 550 5.1.1 5.7.0 we know you\n", believed},
		{"S: 450-4.7.0 we know you\nS: 450 4.2.0 later\n", "greeting 220, ehlo 250, mail 250, target 450, control 550"}, // proves nothing anyway
	} {
		o := probe(t, setting{}, smtptest.Script(group+"S: 250 2.1.0 ok\n"+tt.target+"S: 550 5.1.1 no\nS: 250 reset\n"))
		if got := summaries(o.found); got != tt.found {
			t.Errorf("%s: found %s\n%s", tt.target, got, transcript(o.found.Sessions[0]))
		}
	}
}
