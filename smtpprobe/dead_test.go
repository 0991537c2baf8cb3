package smtpprobe_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// deadHosts fail before a recipient can be named.
var deadHosts = []struct {
	name  string
	host  smtptest.Handler // nil: swallows packets
	found string
}{
	{"swallows packets", nil, "failure timeout at connect"},
	{"refuses the greeting", &smtptest.Host{Greeting: "554 5.7.1 no"}, "greeting 554"},
	{"is busy", &smtptest.Host{Greeting: "421 busy"}, "greeting 421"},
	{"hangs up", smtptest.Script("close"), "failure closed at greeting"},
	{"resets", smtptest.Script("reset"), "failure reset at greeting"},
	{"is silent", smtptest.Script("hang"), "failure timeout at greeting"},
	{"silent at EHLO", &smtptest.Host{EHLO: smtptest.Hangs}, "greeting 220, failure timeout at ehlo"},
	{"is no mail host", smtptest.Script("S: SSH-2.0-OpenSSH_9.9"), "failure protocol at greeting"},
	{"refuses EHLO", &smtptest.Host{EHLO: "550 5.7.1 no"}, "greeting 220, ehlo 550"},
}

// TestDeadHost has 300 ask a host that cannot be asked: few connections, all
// get what came of them, and so do those who come soon after.
func TestDeadHost(t *testing.T) {
	for _, tt := range deadHosts {
		for _, backup := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, backup %t", tt.name, backup), func(t *testing.T) {
				addrs := []string{"192.0.2.1"}
				if backup {
					addrs = append(addrs, "192.0.2.2")
				}
				permanent := strings.Contains(tt.found, " 55")
				want := tt.found
				if backup && !permanent {
					want += "\n" + goodFound
				}
				dialled := func(b *bubble) (n int) {
					for _, addr := range b.network.Dials() {
						if addr == "192.0.2.1:25" {
							n++
						}
					}
					return n
				}
				hosts := map[string]smtptest.Handler{"192.0.2.1": tt.host, "192.0.2.2": &peer{}}
				inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 300}, hosts, func(b *bubble) {
					start := time.Now()
					for i, r := range b.askAll(aboutAll(mailboxes(300, none, "a.example"), addrs...)) {
						if got := summaries(r.found); got != want || r.err != nil {
							b.Fatalf("%d: found %s (%v), want %s", i, got, r.err, want)
						}
					}
					if n := dialled(b); n > 30 {
						b.Errorf("%d connections", n)
					}
					if took := time.Since(start); took > 90*time.Second {
						b.Errorf("took %v", took)
					}

					before := dialled(b)
					r := b.ask(b.Context(), about("good@a.example", addrs...))
					if got := summaries(r.found); got != want || r.err != nil || dialled(b) != before || r.took > time.Second {
						b.Errorf("soon after: found %s (%v) after %v, want %s", got, r.err, r.took, want)
					}
					if !strings.Contains(transcript(r.found.Sessions[0]), "not tried again") {
						b.Errorf("the transcript does not say so:\n%s", transcript(r.found.Sessions[0]))
					}
					time.Sleep(31 * time.Second)
					if r := b.ask(b.Context(), about("good@a.example", addrs...)); dialled(b) != before+1 {
						b.Errorf("later: found %s; %d connections more", summaries(r.found), dialled(b)-before)
					}
				})
			})
		}
	}
}

// TestNoRouteIsRememberedAsSuch sees that addresses which our own network has
// no route to do not count as tried, the second time neither.
func TestNoRouteIsRememberedAsSuch(t *testing.T) {
	addrs := []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5", "2001:db8::6", "2001:db8::7", "192.0.2.1"}
	inBubbleBy(t, smtpprobe.Config{}, one(&peer{}), offline, func(b *bubble) {
		for range 2 {
			b.checkAnswered([]told{b.ask(b.Context(), about("good@a.example", addrs...))}, 250)
		}
	})
}

// TestOurOwnLackIsNotRemembered checks that a caller learns what this machine
// lacked, and that no later one does.
func TestOurOwnLackIsNotRemembered(t *testing.T) {
	left := 3 // connections for which it has no file descriptor
	poor := func(d smtpprobe.Dialer) smtpprobe.Dialer {
		return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			if left--; left >= 0 {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.EMFILE}
			}
			return d.DialContext(ctx, network, address)
		})
	}
	inBubbleBy(t, smtpprobe.Config{}, one(&peer{}), poor, func(b *bubble) {
		for i, r := range b.askInTurn(aboutAll(mailboxes(4, none, "a.example"))) {
			if answered := r.code() == 250; answered != (i == 3) || answered != (r.err == nil) {
				b.Errorf("%d: %v", i, r)
			}
		}
	})
}
