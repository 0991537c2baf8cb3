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
