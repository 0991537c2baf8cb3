package smtpprobe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

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
		{"domains", 4000, 50, oneHost("mx.hoster.test"), false, smtpprobe.Config{}, 4},
		{"domains of a strict provider", 4000, 50, oneHost("aspmx.l.google.com"), false, smtpprobe.Config{}, 4},
		{"hosts of a provider", 10000, 50, manyHosts("mx%d.hoster.test"), false, smtpprobe.Config{}, 2},
		{"hosts of several", 10000, 50, manyHosts("mx.host%d.example"), false, smtpprobe.Config{MaxSessions: 20}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, hosts := &peer{Takes: 50 * time.Millisecond}, map[string]smtptest.Handler{}
			var requests []smtpprobe.Request
			ask := func(n int, small bool) {
				list := new(int)
				for i := range n {
					at := tt.where(i, small)
					hosts[at.addr] = host
					req := about(fmt.Sprintf("good%d-%t@%s", i, small, at.domain), at.addr)
					if req.Hosts[0].Name, req.Budget = at.host, time.Hour; tt.lists {
						req.List = list
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
			if n := len(host.Asked()); n > len(requests)*12/10 {
				t.Errorf("%d recipients for %d mailboxes", n, len(requests))
			}
		})
	}
}
