package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestRefusedBesideAnAcceptedControl is about the one combination of answers that a reply in the wrong place makes of a mailbox that exists. It is
// believed when the host says it twice.
func TestRefusedBesideAnAcceptedControl(t *testing.T) {
	const group = flight + "S: 250 ok\nS: 550 5.1.1 no\nS: 250 yes\n"
	const again = group + "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT TO:<alice@*\n"
	for _, tt := range []struct {
		name  string
		host  string
		found string
	}{
		{"said twice", again + "S: 550 5.1.1 no", "greeting 220, ehlo 250, mail 250, target 550, control 250"},
		{"accepted alone", again + "S: 250 yes", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"put off alone", again + "S: 450 later", "greeting 220, ehlo 250, mail 250, target 450, control 250"},
		{"421 alone", again + "S: 421 bye\nclose", "greeting 220, ehlo 250, mail 250, target 421, control 250"},
		{"hangs up", again + "close", "greeting 220, ehlo 250, mail 250, failure closed at rcpt"},
		{"silent", again + "hang", "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"},
		{"knows no RSET", group + "C: RSET\nS: 502 what?", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"refuses RSET", group + "C: RSET\nS: 550 no", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"refuses MAIL", group + "C: RSET\nS: 250 ok\nC: MAIL *\nS: 451 later", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"the reply left over comes late", flight + "S: 250 ok\nS: 550 5.1.1 left over\nS: 250 yes\nsleep 15ms\nS: 550 5.1.1 no\nC: RSET\nS: 250 ok",
			"greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"answered twice alone", again + `raw: 550 5.1.1 no\r\n250 yes\r\n`, "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
		{"in turn", "S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\nS: 250 ok\nC: RCPT TO:<alice@*\nS: 550 no\nC: RCPT *\nS: 250 yes\n" +
			"C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT TO:<alice@*\nS: 250 yes", "greeting 220, ehlo 250, mail 250, failure protocol at rcpt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, smtptest.Script(tt.host))
			if got := summaries(o.found); got != tt.found || o.err != nil {
				t.Errorf("found %s (%v), want %s\n%s", got, o.err, tt.found, transcript(o.found.Sessions[0]))
			}
			if err := o.sessions[0].Err; err != nil {
				t.Error(err)
			}
			checkFindings(t, o.found)
		})
	}
}

// TestReversedAnswersAboutOne is about a host that answers the recipients of a group in reverse order.
func TestReversedAnswersAboutOne(t *testing.T) {
	for _, mailbox := range []string{"real", "missing"} {
		o := probe(t, setting{req: smtpprobe.Request{Target: mailbox + "@example.com", Control: control}}, smtptest.HostileHost("pipelining-reversed"))
		last := o.found.Sessions[0]
		if mailbox == "real" && last.Target != nil || last.Failure != nil && last.Failure.Kind != smtpprobe.KindProtocol {
			t.Errorf("%s: found %s", mailbox, summaries(o.found))
		}
	}
}

// TestMostBoxesOfADomain is about a domain that takes every mailbox but some. Each of these is refused for good, and when the host has shown once
// that it means it, no more sessions are spent on it.
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

// TestRefusedBesideAKnownControl is the same about a domain of which it is known before that it takes random mailboxes: the first to be refused is
// asked about again by itself, and the others are believed.
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

// TestPutOffAloneIsNoConfirmation is about a host that does not say again for good what it said beside an accepted control: it is not believed the
// next time either.
func TestPutOffAloneIsNoConfirmation(t *testing.T) {
	host := &peer{rcpt: func(v *visit, m string) string {
		if strings.HasPrefix(m, "bad0@") && v.mailed > 1 {
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

// TestSecondAnswerLeavesNothingOpen sees that the transaction of the second answer is ended before the next begins.
func TestSecondAnswerLeavesNothingOpen(t *testing.T) {
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(&peer{rcpt: choosy}), func(b *bubble) {
		_ = b.ask(b.Context(), about("bad0@a.example"))
		_ = b.ask(b.Context(), about("good1@a.example"))
	})
	if mail, reset := count(sessions, "MAIL"), count(sessions, "RSET"); len(sessions) != 1 || mail != 3 || reset != 2 {
		t.Errorf("%d sessions, %d MAIL, %d RSET", len(sessions), mail, reset)
	}
}

// TestNameInAnotherCase is about a refusal that names the right mailbox, in its own spelling.
func TestNameInAnotherCase(t *testing.T) {
	o := probe(t, setting{}, smtptest.Script(flight+"S: 250 ok\nS: 550 5.1.1 <Alice@Example.COM>: no\nS: 550 5.1.1 no\n"))
	if got := summaries(o.found); got != "greeting 220, ehlo 250, mail 250, target 550, control 550" {
		t.Errorf("found %s", got)
	}
}

// TestRefusedOnASessionInUse is about a host that refuses in the words for an unknown mailbox whoever comes later on a session, and takes random
// ones: only what it says on a fresh session shows that it means it.
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

// TestAnswerThatNamesAnother is about a host that answers in the wrong order, in words that tell: nobody is told what another was.
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

// TestReversedAnswersInCompany has the first of each group refused as the random mailbox was, which names nobody.
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

// TestCrossedControlIsNotRemembered holds that the acceptance of a control beside a refused target, which may have been another's, is none for later.
func TestCrossedControlIsNotRemembered(t *testing.T) {
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(smtptest.HostileHost("pipelining-reversed")), func(b *bubble) {
		_ = b.askAll(aboutAll([]string{"real1@a.example", "real2@a.example", "real3@a.example"}))
		if r := b.ask(b.Context(), about("real4@a.example")); r.last().Control != nil && r.last().Control.Code == 250 {
			b.Errorf("found %s", summaries(r.found))
		}
	})
}

// TestAcceptanceNamesAnother is about a host that answers the first two recipients of a transaction in each other's place, and says whom it accepts.
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
