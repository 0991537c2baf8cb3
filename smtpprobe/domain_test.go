package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// controlled is a host that answers controls as a test wants, and mailboxes as usual.
func controlled(answer string) *peer {
	return &peer{rcpt: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "good") || strings.HasPrefix(m, "bad") {
			return ""
		}
		return answer
	}}
}

// controls counts the recipients that are neither good nor bad.
func (p *peer) controls() (n int) {
	for _, m := range p.asked() {
		if !strings.HasPrefix(m, "good") && !strings.HasPrefix(m, "bad") {
			n++
		}
	}
	return n
}

// TestControlIsShared sees for how long, and for whom, the answer about a control is believed.
func TestControlIsShared(t *testing.T) {
	const no, yes = "550 5.1.1 no such user", "250 ok"
	for _, tt := range []struct {
		name     string
		answer   string
		rest     time.Duration
		shared   []bool
		controls int
	}{
		{"refused", no, time.Second, []bool{false, true, true, true}, 1},
		{"accepted", yes, time.Second, []bool{false, true, true, true}, 1},
		{"across sessions", no, time.Minute, []bool{false, true, true, true}, 1},
		{"for a while", no, 4 * time.Minute, []bool{false, true, true, false}, 2},
		{"not when greylisted", "450 4.7.1 greylisted", time.Minute, []bool{false, false, false, false}, 4},
		{"not when limited", "452 4.5.3 too many", time.Minute, []bool{false, false, false, false}, 8},
		{"not when blocked", "550 5.7.1 blocked", time.Minute, []bool{false, false, false, false}, 4},
		{"not when it names nothing", "550 rejected", time.Minute, []bool{false, false, false, false}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := controlled(tt.answer)
			var shared []bool
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				for i := range tt.shared {
					time.Sleep(tt.rest)
					last := b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i))).last()
					if last.Control == nil || fmt.Sprint(last.Control.Code) != tt.answer[:3] {
						b.Errorf("found %s, want the control %s", summary(last), tt.answer)
					}
					shared = append(shared, last.ControlShared)
				}
			})
			if diff := cmp.Diff(tt.shared, shared); diff != "" {
				t.Errorf("shared (-want +got):\n%s", diff)
			}
			if n := host.controls(); n != tt.controls {
				t.Errorf("%d controls were named, want %d", n, tt.controls)
			}
		})
	}
}

// TestControlOfALongList sees that a list of one domain asks about a random mailbox now and then only, and about those of other domains as well.
func TestControlOfALongList(t *testing.T) {
	for _, domains := range [][]string{{"a.example"}, {"a.example", "b.example", "A.Example"}} {
		host := controlled("550 5.1.1 no such user")
		found, _ := crowd(t, smtpprobe.Config{}, host, mailboxes(1000, func(i int) bool { return i%10 == 0 }, domains...))
		checkTruth(t, found)
		// Each is good for 200 uses; the four sessions may ask at the same time for the next.
		if n, most := host.controls(), 4*(1000/200+len(domains)); n > most || n < 1000/200/2 {
			t.Errorf("%v: %d controls were named", domains, n)
		}
	}
}

// TestControlsDoNotMix sees that domains and hosts are told apart: a backup may take everything, and so may another domain.
func TestControlsDoNotMix(t *testing.T) {
	host := &peer{rcpt: func(_ *visit, m string) string {
		if strings.HasSuffix(m, "@all.example") {
			return "250 ok"
		}
		return ""
	}}
	backup := controlled("250 ok")
	hosts := map[string]smtptest.Handler{"192.0.2.1": host, "192.0.2.2": backup}
	inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
		for _, tt := range []struct {
			addr, domain string
			want         int
		}{
			{"192.0.2.1", "some.example", 550}, {"192.0.2.1", "all.example", 250}, {"192.0.2.2", "some.example", 250},
			{"192.0.2.1", "some.example", 550}, {"192.0.2.1", "ALL.example", 250}, {"192.0.2.2", "some.example", 250},
		} {
			last := b.ask(b.Context(), about("good@"+tt.domain, tt.addr)).last()
			if last.Control == nil || last.Control.Code != tt.want && !strings.HasPrefix(tt.domain, "ALL") {
				b.Errorf("%s at %s: %s", tt.domain, tt.addr, summary(last))
			}
		}
	})
	if n := host.controls() + backup.controls(); n != 3 {
		t.Errorf("%d controls were named, want 3", n)
	}
}

// TestNoControlIsNone sees that who does not want to know about a control is not told about one.
func TestNoControlIsNone(t *testing.T) {
	host := &peer{}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		req := about("good1@a.example")
		req.Control = ""
		if r := b.ask(b.Context(), req); r.last().Control != nil || len(host.asked()) != 1 {
			b.Errorf("found %s; asked about %q", summaries(r.found), host.asked())
		}
		_ = b.ask(b.Context(), about("good2@a.example"))
		if r := b.ask(b.Context(), req); r.last().Control != nil || r.last().ControlShared {
			b.Errorf("found %s", summaries(r.found))
		}
		requests := append(aboutAll(mailboxes(5, func(int) bool { return false }, "b.example")), req, req, req)
		for i, r := range b.askAll(requests) {
			if (r.last().Control != nil) != (requests[i].Control != "") {
				b.Errorf("found %s, control %q", summaries(r.found), requests[i].Control)
			}
		}
	})
}
