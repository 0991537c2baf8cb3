package smtpprobe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hostileGrace is how long an answer may take beyond its time.
const hostileGrace = time.Second

// TestCrowdsAtHostileHosts has forty ask each of them, and some an honest host
// at the same time, with few sessions to share: nobody is told that a mailbox
// does not exist that does, and those at the honest host do not notice.
func TestCrowdsAtHostileHosts(t *testing.T) {
	for _, kind := range hostile.Kinds() {
		t.Run(kind, func(t *testing.T) {
			hosts := map[string]smtptest.Handler{"192.0.2.1": hostile.Host(kind), "192.0.2.2": checks()}
			inBubble(t, smtpprobe.Config{MaxSessions: 6}, hosts, func(b *bubble) {
				var requests []smtpprobe.Request
				for i := range 40 {
					local := []string{"real", "real", "missing"}[i%3]
					requests = append(requests, about(fmt.Sprintf("%s%d@d%d.example", local, i, i%2)))
				}
				honest := aboutAll(mailboxes(10, every(2), "honest.example"), "192.0.2.2")
				for i := range honest {
					honest[i].Hosts[0].Name = "mx.honest.example" // of another provider
				}
				requests = append(requests, honest...)
				for i, r := range b.askAll(requests) {
					mailbox := requests[i].Target
					switch {
					case r.err != nil || len(r.found.Sessions) == 0:
						b.Errorf("%s: %v", mailbox, r.err)
					case strings.HasSuffix(mailbox, "@honest.example"):
						checkTruth(b.T, []string{mailbox}, []told{r})
						if r.took > hostileGrace {
							b.Errorf("%s took %v at an honest host", mailbox, r.took)
						}
					case kind != "pipelining-reversed": // which names none, so that in company nothing tells that it mixes them up
						checkVerdict(b.T, mailbox, r)
					}
				}
				if n := len(b.network.Dials()); n > 100 {
					b.Errorf("%d connections", n)
				}
			})
		})
	}
}
