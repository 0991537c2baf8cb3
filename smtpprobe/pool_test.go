package smtpprobe_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// crowd asks one host about many mailboxes at once and returns what was found about each, and the sessions that it took.
func crowd(t *testing.T, c smtpprobe.Config, host smtptest.Handler, mailboxes []string) (found map[string]smtpprobe.Findings, sessions []smtptest.Session) {
	t.Helper()
	found = make(map[string]smtpprobe.Findings)
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		network.Add("192.0.2.1", host)
		pool := newProber(t, c, network)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, mailbox := range mailboxes {
			wg.Go(func() {
				domain := mailbox[strings.IndexByte(mailbox, '@')+1:]
				f, err := pool.Probe(t.Context(), smtpprobe.Request{
					Hosts:  []smtpprobe.Host{{Name: "mx.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}},
					Target: mailbox, Control: smtpprobe.ControlMailbox(domain), Budget: 30 * time.Second,
				})
				if err != nil {
					t.Errorf("%s: %v", mailbox, err)
				}
				mu.Lock()
				defer mu.Unlock()
				found[mailbox] = f
			})
		}
		wg.Wait()
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
		sessions = network.Sessions()
	})
	return found, sessions
}

// mailboxes makes n addresses in the domains by turns: "good" ones and "bad" ones.
func mailboxes(n int, bad func(i int) bool, domains ...string) []string {
	var list []string
	for i := range n {
		kind := "good"
		if bad(i) {
			kind = "bad"
		}
		list = append(list, fmt.Sprintf("%s%d@%s", kind, i, domains[i%len(domains)]))
	}
	return list
}

// checks is a host that has the mailboxes whose names begin with "good".
func checks() *smtptest.Host {
	return &smtptest.Host{RCPTFunc: func(rcpt string, _ int) string {
		if strings.HasPrefix(rcpt, "good") {
			return "250 2.1.5 Ok"
		}
		return "550 5.1.1 <%s>: no such user"
	}}
}

func count(sessions []smtptest.Session, verb string) int {
	n := 0
	for _, s := range sessions {
		n += len(withVerb(s, verb))
	}
	return n
}

// withVerb returns the commands of a session that begin so.
func withVerb(s smtptest.Session, verb string) []string {
	var found []string
	for _, c := range s.Commands {
		if strings.HasPrefix(c, verb) {
			found = append(found, c)
		}
	}
	return found
}

func TestCrowdSharesSessions(t *testing.T) {
	list := mailboxes(400, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
	found, sessions := crowd(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, checks(), list)
	for _, mailbox := range list {
		last := found[mailbox].Sessions[len(found[mailbox].Sessions)-1]
		want := 250
		if strings.HasPrefix(mailbox, "bad") {
			want = 550
		}
		if last.Target == nil || last.Target.Code != want || (want == 250 && (last.Control == nil || last.Control.Code != 550)) {
			t.Errorf("%s: %s", mailbox, summary(last))
		}
	}
	t.Logf("%d sessions, %d MAIL, %d RCPT, %d RSET, %d QUIT", len(sessions), count(sessions, "MAIL"), count(sessions, "RCPT"), count(sessions, "RSET"), count(sessions, "QUIT"))
}
