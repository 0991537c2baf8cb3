package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// tolerates has a host take so many sessions at a time; 0: any number. To
// others it says a text instead of the reply to a command, or of the greeting.
func tolerates(sessions int, says, at string) func(v *visit, command, due string) string {
	return func(v *visit, command, _ string) string {
		if sessions > 0 && v.Open > sessions && strings.HasPrefix(command, at) && (at != "" || command == "") {
			return says
		}
		return ""
	}
}

// mostOpen is how many sessions of a host were open at a time, and how many met
// with more than it tolerates.
func mostOpen(host *peer, tolerates int) (most, away int) {
	for _, v := range host.Visits() {
		if most = max(most, v.Open); tolerates > 0 && v.Open > tolerates {
			away++
		}
	}
	return most, away
}

// TestSessionsWithAHost asks about many mailboxes at hosts that tolerate more
// and less than we open: all are answered, and few sessions are refused. A host
// that takes fewer sessions than we would open is no dead one.
func TestSessionsWithAHost(t *testing.T) {
	const most = 20 // sessions, by default
	const many = 3000
	for _, tt := range []struct {
		tolerates int
		says, at  string
		mailboxes int
		refused   int // sessions, at most
		took      time.Duration
	}{
		{1000, "", "", many, 0, time.Minute},
		{6, "421 4.7.0 too many connections", "", many, 10, 2 * time.Minute},
		{6, closes, "", many, 10, 2 * time.Minute},
		{6, "554 5.7.1 go away", "", many, 10, 2 * time.Minute},
		{6, "421 too busy", "EHLO", many, 10, 2 * time.Minute},
		{1, "421 4.7.0 one is enough", "", many, 8, 3 * time.Minute},
		{1, "554 too many connections", "", 120, 12, 3 * time.Minute},
		{2, closes, "", 120, 12, 3 * time.Minute},
		{3, "421 4.7.0 too many connections", "", 120, 12, 3 * time.Minute},
	} {
		t.Run(fmt.Sprintf("%q at %s beyond %d", tt.says, tt.at, tt.tolerates), func(t *testing.T) {
			host := &peer{Say: tolerates(tt.tolerates, tt.says, tt.at), Pace: 10 * time.Millisecond}
			list := mailboxes(tt.mailboxes, every(5), "a.example", "b.example")
			inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				start := time.Now()
				checkTruth(b.T, list, b.askAll(patient(aboutAll(list))))
				if took := time.Since(start); took > tt.took {
					b.Errorf("took %v", took)
				}
			})
			open, refused := mostOpen(host, tt.tolerates)
			if refused > tt.refused || open > most || tt.refused == 0 && open < most/2 {
				t.Errorf("%d sessions refused, at most %d open; want at most %d, %d", refused, open, tt.refused, most)
			}
		})
	}
}

// TestPutOffAtMAIL sees that a host which puts sessions off at MAIL gets fewer:
// it puts some 20 off in each of three runs, and else 26 to 28.
func TestPutOffAtMAIL(t *testing.T) {
	putOff := 0
	for range 3 {
		host := &peer{Say: tolerates(6, "421 4.7.0 too many connections", "MAIL"), GreetingDelay: slowGreeting}
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			ask := func(requests []smtpprobe.Request) []told { return b.askAll(patient(requests)) }
			if alive, dead := harvest(b, harvested(2000, 80), 20, ask); alive+dead < 2000 {
				b.Errorf("%d of 2000 were settled", alive+dead)
			}
		})
		_, n := mostOpen(host, 6)
		putOff += n
	}
	if putOff > 72 {
		t.Errorf("%d sessions were put off", putOff)
	}
}

// TestOneAddressHasOneSession asks one mailbox of hosts that take their time.
func TestOneAddressHasOneSession(t *testing.T) {
	for name, host := range map[string]*smtptest.Host{
		"slow greeting": slow(5*time.Second, 0, 0), "slow replies": slow(time.Second, 5*time.Second, 0),
		"slow in turn": inTurn(slow(time.Second, 3*time.Second, 0)),
	} {
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			b.checkAnswered([]told{b.ask(b.Context(), about("alice@example.com"))}, 250)
		})
		if len(sessions) != 1 {
			t.Errorf("%s: %d sessions", name, len(sessions))
		}
	}
}

// TestStrictProvidersBeginWithTwo sees how many sessions a mail host has before
// any of its transactions went well.
func TestStrictProvidersBeginWithTwo(t *testing.T) {
	for name, want := range map[string]int{"mx.hoster.test": 4, "aspmx.l.google.com": 2} {
		requests := aboutAll(mailboxes(200, all, "a.example"))
		for i := range requests {
			requests[i].Hosts[0].Name, requests[i].Budget = name, time.Hour
		}
		inBubble(t, smtpprobe.Config{}, one(&peer{RCPTDelay: 5 * time.Second}), func(b *bubble) {
			time.AfterFunc(4*time.Second, func() {
				if got := b.pool.Pacing()[0].Sessions; got != want {
					b.Errorf("%s has %d sessions at first, want %d", name, got, want)
				}
			})
			b.checkAnswered(b.askAll(requests), 0)
		})
	}
}

// TestWindowIsUsedAsItGrows sees that a host which has shown that it takes more
// sessions gets them at once, and not when one of the first has ended.
func TestWindowIsUsedAsItGrows(t *testing.T) {
	host := &peer{NoPipelining: true, Pace: 2 * time.Second}
	crowd(t, smtpprobe.Config{}, host, mailboxes(60, none, "a.example"))
	const first = 4
	if s := host.Visits(); len(s) <= first || !s[first].Began.Before(s[0].Left) {
		t.Errorf("%d sessions, the fifth after the end of the first", len(s))
	}
}

// TestSlowHostsJobsAreSpread sees that the mailboxes of a host which takes long
// over each are spread over the sessions that it may have.
func TestSlowHostsJobsAreSpread(t *testing.T) {
	host := &peer{NoPipelining: true, Pace: 50 * time.Millisecond}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		b.ask(b.Context(), about("good@a.example")) // shows how long it takes
		start := time.Now()
		b.checkAnswered(b.askTogether(b.Context(), aboutAll(mailboxes(40, none, "a.example"))), 250)
		if took := time.Since(start); took > 1400*time.Millisecond {
			b.Errorf("took %v in %d sessions", took, len(host.Visits()))
		}
	})
}

// place is where a mailbox is.
type place struct{ addr, host, domain string }

// TestGiantsDoNotStarveOthers has thousands of mailboxes asked about before
// some few: these do not wait until the giants are done.
func TestGiantsDoNotStarveOthers(t *testing.T) {
	const addr, giant = "192.0.2.1", "giant.example"
	oneHost := func(name string) func(i int, small bool) place {
		return func(i int, small bool) place {
			if small {
				return place{addr, name, fmt.Sprintf("small%d.example", i)}
			}
			return place{addr, name, giant}
		}
	}
	// Five giant hosts and some of one mailbox each.
	manyHosts := func(name string) func(i int, small bool) place {
		return func(i int, small bool) place {
			n, kind := i%5, "giant"
			if small {
				n, kind = 5+i, "small"
			}
			return place{fmt.Sprintf("198.51.%d.1", n), fmt.Sprintf(name, n), fmt.Sprintf("%s%d.example", kind, n)}
		}
	}
	for _, tt := range []struct {
		name          string
		giants, small int
		where         func(i int, small bool) place
		lists         bool // the small ones are of another list
		config        smtpprobe.Config
		share         time.Duration // the small ones are answered after one part in so many of the time
	}{
		{"lists", 4000, 20, func(int, bool) place { return place{addr, "mx.hoster.test", giant} }, true, smtpprobe.Config{}, 4},
		{"domains", 4000, 50, oneHost("mx.hoster.test"), false, smtpprobe.Config{}, 3},
		{"domains of a strict provider", 4000, 50, oneHost("aspmx.l.google.com"), false, smtpprobe.Config{}, 4},
		{"hosts of a provider", 10000, 50, manyHosts("mx%d.hoster.test"), false, smtpprobe.Config{}, 2},
		{"hosts of several", 10000, 50, manyHosts("mx.host%d.example"), false, smtpprobe.Config{MaxSessions: 20}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, hosts := &peer{RCPTDelay: 50 * time.Millisecond}, map[string]smtptest.Handler{}
			var requests []smtpprobe.Request
			ask := func(n int, small bool) {
				list := new(smtpprobe.Caller)
				for i := range n {
					at := tt.where(i, small)
					hosts[at.addr] = host
					req := about(fmt.Sprintf("good%d-%t@%s", i, small, at.domain), at.addr)
					if req.Hosts[0].Name, req.Budget = at.host, time.Hour; tt.lists {
						req.Caller = list
					}
					requests = append(requests, req)
				}
			}
			ask(tt.giants, false)
			ask(tt.small, true)
			inBubble(t, tt.config, hosts, func(b *bubble) {
				var all, last time.Duration
				answers := b.askTogether(b.Context(), patient(requests))
				b.checkAnswered(answers, 250)
				for i, r := range answers {
					if all = max(all, r.took); i >= tt.giants {
						last = max(last, r.took)
					}
				}
				if last > all/tt.share {
					b.Errorf("the last small one was answered after %v, of %v in all", last, all)
				}
			})
			if n := len(host.Recipients()); n > len(requests)*12/10 {
				t.Errorf("%d recipients for %d mailboxes", n, len(requests))
			}
		})
	}
}
