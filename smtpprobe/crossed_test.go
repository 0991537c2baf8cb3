package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestRefusedBesideAnAcceptedControl is about the one combination of answers
// that a reply in the wrong place makes of a mailbox that exists. It is
// believed when the host says it again, alone and in a session of its own.
func TestRefusedBesideAnAcceptedControl(t *testing.T) {
	for _, tt := range []struct{ again, found string }{
		{"550 5.1.1 no such user", "target 550, control 250"},
		{"250 2.1.5 Ok", "target 250, control 250"},
		{"450 4.2.0 later", "target 450, control 250"},
		{"421 4.3.2 bye", "target 421"},
		{closes, "failure closed at rcpt"},
		{hangs, "failure timeout at rcpt"},
	} {
		t.Run(tt.again, func(t *testing.T) {
			host := &peer{rcpt: func(v *visit, m string) string {
				switch {
				case !strings.HasPrefix(m, "bad"):
					return "250 2.1.5 Ok"
				case v.number > 1:
					return tt.again
				}
				return "550 5.1.1 no such user"
			}}
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				r := b.ask(b.Context(), about("bad@a.example"))
				if got := strings.TrimPrefix(summaries(r.found), "greeting 220, ehlo 250, mail 250, "); got != tt.found || r.err != nil {
					b.Errorf("found %s (%v), want %s\n%s", got, r.err, tt.found, transcript(r.last()))
				}
				checkFindings(b.T, r.found)
			})
		})
	}
}

// TestReversedAnswersAboutOne is about a host that answers the recipients of a
// group in reverse order: it is asked one command at a time.
func TestReversedAnswersAboutOne(t *testing.T) {
	for mailbox, want := range map[string]int{"real": 250, "missing": 550} {
		o := probe(t, setting{req: smtpprobe.Request{Target: mailbox + "@example.com", Control: control}}, smtptest.HostileHost("pipelining-reversed"))
		if last := o.found.Sessions[0]; last.Target == nil || last.Target.Code != want {
			t.Errorf("%s: found %s", mailbox, summaries(o.found))
		}
	}
}

// TestMostBoxesOfADomain is about a domain that takes every mailbox but some.
// Each of these is refused for good, and when the host has shown once that it
// means it, no more sessions are spent on it.
func TestMostBoxesOfADomain(t *testing.T) {
	host := &peer{rcpt: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "bad") {
			return "550 5.1.1 no such user"
		}
		return "250 2.1.5 Ok"
	}}
	list := mailboxes(200, func(i int) bool { return i%4 == 0 }, "a.example")
	found, sessions := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
	for m, f := range found {
		want := 250
		if strings.HasPrefix(m, "bad") {
			want = 550
		}
		if last := (told{found: f}).last(); last.Target == nil || last.Target.Code != want {
			t.Errorf("%s: found %s", m, summaries(f))
		}
	}
	if len(sessions) > 12 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestRefusedBesideAKnownControl is the same about a domain of which it is
// known before that it takes random mailboxes: the first to be refused is asked
// about again by itself, and the others are believed.
func TestRefusedBesideAKnownControl(t *testing.T) {
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 100}, one(&peer{rcpt: choosy}), func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example")) // the control
		list := mailboxes(60, func(i int) bool { return i%4 != 0 }, "a.example")
		for i, r := range b.askAll(aboutAll(list)) {
			want := 250
			if strings.HasPrefix(list[i], "bad") {
				want = 550
			}
			if r.last().Target == nil || r.last().Target.Code != want {
				b.Errorf("%s: found %s (%v)", list[i], summaries(r.found), r.err)
			}
		}
	})
	if len(sessions) > 12 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestPutOffAloneIsNoConfirmation is about a host that does not say again for
// good what it said beside an accepted control: it is not believed the next
// time either.
func TestPutOffAloneIsNoConfirmation(t *testing.T) {
	host := &peer{rcpt: func(v *visit, m string) string {
		if strings.HasPrefix(m, "bad0@") && v.number > 1 {
			return "450 4.2.0 later"
		}
		return choosy(v, m)
	}}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		if r := b.ask(b.Context(), about("bad0@a.example")); r.last().Target == nil || r.last().Target.Code != 450 {
			b.Errorf("found %s (%v)", summaries(r.found), r.err)
		}
		_ = b.askAll(aboutAll([]string{"good1@a.example", "bad1@a.example", "good2@a.example"}))
	})
	named := 0
	for _, m := range host.asked() {
		if m == "bad1@a.example" {
			named++
		}
	}
	if named < 2 {
		t.Errorf("named %d times", named)
	}
}

// TestNameInAnotherCase is about a refusal that names the right mailbox, in its
// own spelling.
func TestNameInAnotherCase(t *testing.T) {
	o := probe(t, setting{}, smtptest.Script(group+"S: 250 ok\nS: 550 5.1.1 <Alice@Example.COM>: no\nS: 550 5.1.1 no\nS: 250 reset\n"))
	if got := summaries(o.found); got != "greeting 220, ehlo 250, mail 250, target 550, control 550" {
		t.Errorf("found %s", got)
	}
}

// TestRefusedOnASessionInUse is about a host that refuses in the words for an
// unknown mailbox whoever comes later on a session, and takes random ones: only
// what it says on a fresh session shows that it means it.
func TestRefusedOnASessionInUse(t *testing.T) {
	host := &peer{rcpt: func(v *visit, _ string) string {
		if v.mailed > 1 {
			return "550 5.1.1 no such user"
		}
		return "250 2.1.5 Ok"
	}}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
		for i := range 4 {
			r := b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i)))
			if r.last().Target == nil || r.last().Target.Code != 250 {
				b.Errorf("found %s (%v)", summaries(r.found), r.err)
			}
		}
	})
}

// TestAnswerThatNamesAnother is about a host that answers in the wrong order,
// in words that tell: nobody is told what another was.
func TestAnswerThatNamesAnother(t *testing.T) {
	var list []string
	for _, m := range company() {
		list = append(list, strings.Replace(m, "good", "real", 1))
	}
	found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, smtptest.HostileHost("pipelining-reversed-by-name"), list)
	for m, f := range found {
		last := (told{found: f}).last()
		if last.Target != nil && (last.Target.Code == 250) != strings.HasPrefix(m, "real") {
			t.Errorf("%s: found %s", m, summaries(f))
		}
	}
}

// TestReversedAnswersInCompany has the first of each group refused as the
// random mailbox was, which names nobody.
func TestReversedAnswersInCompany(t *testing.T) {
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf("real%d@a.example", i))
	}
	found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, smtptest.HostileHost("pipelining-reversed"), list)
	for m, f := range found {
		if last := (told{found: f}).last(); last.Target != nil && last.Target.Code != 250 {
			t.Errorf("%s: found %s", m, summaries(f))
		}
	}
}

// TestCrossedControlIsNotRemembered holds that the acceptance of a control
// beside a refused target, which may have been another's, is none for later.
func TestCrossedControlIsNotRemembered(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(smtptest.HostileHost("pipelining-reversed")), func(b *bubble) {
		_ = b.askAll(aboutAll([]string{"real1@a.example", "real2@a.example", "real3@a.example"}))
		if r := b.ask(b.Context(), about("real4@a.example")); r.last().Control != nil && r.last().Control.Code == 250 {
			b.Errorf("found %s", summaries(r.found))
		}
	})
}

// TestAcceptanceNamesAnother is about a host that answers the first two
// recipients of a transaction in each other's place, and says whom it accepts.
func TestAcceptanceNamesAnother(t *testing.T) {
	first := ""
	host := &peer{rcpt: func(v *visit, m string) string {
		says := func(m string) string {
			if strings.HasPrefix(m, "good") {
				return "250 2.1.5 <" + m + "> ok"
			}
			return "550 5.1.1 no such user"
		}
		switch {
		case v.number > 1 || v.named > 1:
			return says(m)
		case v.named == 0:
			first = m
			return skips
		}
		return says(m) + "\n" + says(first) // two replies
	}}
	found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, mailboxes(8, func(i int) bool { return i%2 == 0 }, "a.example"))
	checkTruth(t, found)
}
