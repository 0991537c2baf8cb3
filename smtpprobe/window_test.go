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
