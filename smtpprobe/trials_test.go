package smtpprobe_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// noGroups are hosts that offer PIPELINING and do not know it: what each
// answers to a group, of which the second value is what it should answer.
var noGroups = map[string]func(answers []string) []string{
	"says so and hangs up": func([]string) []string {
		return []string{"500 5.5.1 Invalid command: Pipelining not supported", closes}
	},
	"says so with another code": func([]string) []string { return []string{"554 SMTP synchronization error", closes} },
	"hangs up":                  func([]string) []string { return []string{closes} },
	"resets behind MAIL":        func(a []string) []string { return []string{a[0], resets} },
	"says nothing":              func([]string) []string { return []string{hangs} },
	"answers the first alone":   func(a []string) []string { return []string{a[0], hangs} },
	"takes all for out of order": func(a []string) []string {
		return append(a[:1], slices.Repeat([]string{"503 bad sequence"}, len(a)-1)...)
	},
	"does not know the second": func(a []string) []string { return []string{a[0], "500 unrecognized command"} },
}

// TestPipeliningThatFails sees that a host which offers PIPELINING and does not
// know it is asked once more, step by step, and is asked like that for an hour.
func TestPipeliningThatFails(t *testing.T) {
	for name, reply := range noGroups {
		t.Run(name, func(t *testing.T) {
			var groups atomic.Int64
			host := &peer{Arrange: func(_ *visit, commands, answers []string) []string {
				if len(commands) == 1 {
					return answers
				}
				groups.Add(1)
				return reply(answers)
			}}
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				for _, ask := range []struct {
					after    time.Duration
					mailbox  string
					sessions int
					groups   int64 // so far
				}{
					{0, "good1@a.example", 2, 1},
					{time.Minute, "good2@a.example", 1, 1},
					{58 * time.Minute, "bad@b.example", 1, 1},
					{2 * time.Minute, "good3@a.example", 2, 2},
				} {
					time.Sleep(ask.after)
					r := b.ask(b.Context(), about(ask.mailbox))
					first, last := r.found.Sessions[0], r.last()
					if r.code() != want(ask.mailbox) || r.err != nil || len(r.found.Sessions) != ask.sessions || groups.Load() != ask.groups {
						b.Errorf("%s: %v, %d groups", ask.mailbox, r, groups.Load())
					}
					if tried := ask.sessions == 2; tried != (first.Trial == "PIPELINING") || !slices.Equal(last.Shunned, []string{"PIPELINING"}) {
						b.Errorf("%s: trial %q, shunned %q", ask.mailbox, first.Trial, last.Shunned)
					}
					if !strings.Contains(transcript(last), "PIPELINING is not used: it failed here within the last hour") {
						b.Errorf("%s: %s", ask.mailbox, transcript(last))
					}
				}
			})
		})
	}
}

// TestPipeliningThatWorks sees what is not held against it: a refusal of us or
// of a mailbox, and the end of a session behind an answer about a recipient.
func TestPipeliningThatWorks(t *testing.T) {
	for _, host := range []*peer{
		{Say: at("MAIL", "550 5.7.1 your address is on a list")},
		{Say: at("MAIL", "421 4.7.0 too many sessions")},
		{Say: at("MAIL", "250-mx\n250 PIPELINING")},
		{RCPTFunc: after(0, always("554 5.7.1 not you"))},
		{RCPTFunc: after(0, always("452 4.5.3 too many recipients"))},
		{RCPTFunc: after(1, always(closes))},
		{RCPTFunc: after(1, always("503 5.5.1 bad sequence"))},
	} {
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			for range 2 {
				r := b.ask(b.Context(), about(target))
				for _, s := range r.found.Sessions {
					if s.Trial != "" || s.Shunned != nil {
						b.Errorf("%s: trial %q, shunned %q", summaries(r.found), s.Trial, s.Shunned)
					}
				}
				time.Sleep(time.Minute)
			}
		})
	}
}

// TestPipeliningThatHasWorked sees that a host which has answered groups, and
// falls silent in one, is not thought to lack PIPELINING.
func TestPipeliningThatHasWorked(t *testing.T) {
	host := &peer{RCPTFunc: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "slow") {
			return hangs
		}
		return plain.about(m)
	}}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		b.ask(b.Context(), about("good@a.example"))
		slow := about("slow@a.example")
		slow.Budget = time.Minute // for a second try
		r := b.ask(b.Context(), slow)
		if want := "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"; summaries(r.found) != want || r.last().Trial != "" {
			b.Errorf("found %s, want %s", summaries(r.found), want)
		}
	})
}

// TestTLSThatFails sees that a host whose TLS fails is spoken to in plain text,
// once more by the one who finds that out, and by all for an hour.
func TestTLSThatFails(t *testing.T) {
	for name, host := range map[string]smtptest.Handler{
		"stalls": tlsHost(smtptest.TLSStalls),
		"closes": hostile.Host("closes-at-starttls"),
	} {
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			begun := time.Now()
			for _, ask := range []struct {
				at       time.Duration
				sessions int
				took     time.Duration // at most
			}{
				{0, 2, 20 * time.Second}, {time.Minute, 1, time.Second}, {59 * time.Minute, 1, time.Second}, {62 * time.Minute, 2, 20 * time.Second},
			} {
				time.Sleep(time.Until(begun.Add(ask.at)))
				r := b.ask(b.Context(), about("real@a.example"))
				first, last := r.found.Sessions[0], r.last()
				if len(r.found.Sessions) != ask.sessions || last.Target == nil || r.took > ask.took {
					b.Errorf("%s, after %v: found %s after %v", name, ask.at, summaries(r.found), r.took)
				}
				if tried := ask.sessions == 2; tried != (first.Trial == "STARTTLS") || !slices.Equal(last.Shunned, []string{"STARTTLS"}) {
					b.Errorf("%s, after %v: trial %q, shunned %q", name, ask.at, first.Trial, last.Shunned)
				}
			}
			if got := len(b.network.Dials()); got != 6 {
				b.Errorf("%s: %d connections, want 6", name, got)
			}
		})
	}
}

// TestTLSThatIsWantedAllTheSame sees that a host which insists on TLS gets
// another try soon, and that one whose TLS works again is asked over TLS.
func TestTLSThatIsWantedAllTheSame(t *testing.T) {
	host := &smtptest.Host{STARTTLS: smtptest.TLSCloses, RequireTLS: true, Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		for _, want := range []string{
			"greeting 220, ehlo 250, starttls 220, failure tls at starttls\ngreeting 220, ehlo 250, mail 530",
			"greeting 220, ehlo 250, mail 530",
		} {
			if r := b.ask(b.Context(), about(target)); summaries(r.found) != want {
				b.Errorf("found %s, want %s", summaries(r.found), want)
			}
		}
		host.STARTTLS = smtptest.TLSWorks
		time.Sleep(31 * time.Second)
		if r := b.ask(b.Context(), about(target)); r.code() != 250 || r.last().TLS == "" {
			b.Errorf("found %s", summaries(r.found))
		}
	})
}

// TestBothFail is about a host that lacks both: each is found out once.
func TestBothFail(t *testing.T) {
	host := smtptest.Script("S: 220 mx\nC: EHLO *\nS: 250-mx\nS: 250-STARTTLS\nS: 250 PIPELINING\nC: *\nclose")
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		r := b.ask(b.Context(), about(target))
		var trials []string
		for _, s := range r.found.Sessions {
			trials = append(trials, s.Trial)
		}
		if !slices.Equal(trials, []string{"STARTTLS", "PIPELINING", ""}) || !slices.Equal(r.last().Shunned, []string{"STARTTLS", "PIPELINING"}) {
			b.Errorf("%q: %s", trials, summaries(r.found))
		}
	})
}
