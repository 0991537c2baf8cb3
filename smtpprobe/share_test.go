package smtpprobe_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestEachHasAShareOfTheTime sees how the time is divided between addresses
// that do not answer, those that are yet to be asked for included.
func TestEachHasAShareOfTheTime(t *testing.T) {
	silent := &smtptest.Host{Greeting: smtptest.Hangs}
	const none, slowly, callers = "none", "slowly", time.Minute
	for _, tt := range []struct {
		name   string
		budget time.Duration
		hosts  string // each with the ends of its addresses, and behind a slash of those that it has more of
		silent string // the end of the one address that can be connected with
		want   string
	}{
		{"one", 5 * time.Second, "1", "", ".1 0s"},
		{"one, and more of it", 5 * time.Second, "1/11", "", ".1 0s, .11 3.5s"},
		{"one, and more of it, in hardly any time", 1600 * time.Millisecond, "1/11", "", ".1 0s, .11 1.5s"},
		{"one, and more of it, in time", 30 * time.Second, "1/11", "", ".1 0s, .11 6s"},
		{"one, and two more", 5 * time.Second, "1/11,12", "", ".1 0s, .11 3.5s, .12 4.25s"},
		{"two, and more", 5 * time.Second, "1/11 2/21", "", ".1 0s, .11 1.5s, .2 3s, .21 4.5s"},
		{"two, and there are no more", 5 * time.Second, "1/none 2/none", "", ".1 0s, .2 1.5s"},
		{"two", 5 * time.Second, "1 2", "", ".1 0s, .2 2.5s"},
		{"four", 5 * time.Second, "1 2 3 4", "", ".1 0s, .2 1.5s, .3 3s, .4 4s"},
		{"six", 10 * time.Second, "1,2 3,4 5,6", "", ".1 0s, .2 2.5s, .3 4s, .4 5.5s, .5 7s, .6 8.5s"},
		{"eight, of which six are tried", 10 * time.Second, "1,2,3,4 5,6,7,8", "", ".1 0s, .2 2.5s, .3 4s, .4 5.5s, .5 7s, .6 8.5s"},
		{"one by two names", 5 * time.Second, "1 1/11 2", "", ".1 0s, .2 2.5s"},
		{"six, in time", 30 * time.Second, "1,2 3,4 5,6", "", ".1 0s, .2 6s, .3 12s, .4 18s, .5 24s, .6 27s"},
		{"more are found slowly", 5 * time.Second, "1/slowly 2", "", ".1 0s, .2 3.5s"},
		{"more are found slowly, and others are many", 10 * time.Second, "1/slowly 2 3 4 5", "", ".1 0s, .2 6.25s, .3 7.75s, .4 8.875s, .5 9.4375s"},
		{"more are found slowly, of the last", 5 * time.Second, "1/slowly", "", ".1 0s"},
		{"one without a greeting", 5 * time.Second, "1", "1", ".1 0s"},
		{"one without a greeting, and more of it", 5 * time.Second, "1/11", "1", ".1 0s"},
		{"one without a greeting, and more of it, in time", 30 * time.Second, "1/11", "1", ".1 0s, .11 20s"},
		{"one without a greeting, and others", 10 * time.Second, "1/11 2/21", "1", ".1 0s, .11 5s, .2 7s, .21 8.5s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := map[string]smtptest.Handler{}
			ends := func(list string) (addrs []netip.Addr) {
				for end := range strings.SplitSeq(list, ",") {
					addr := "192.0.2." + end
					if addrs = append(addrs, netip.MustParseAddr(addr)); end == tt.silent {
						at[addr] = silent
					} else {
						at[addr] = nil
					}
				}
				return addrs
			}
			var hosts []smtpprobe.Host
			for i, text := range strings.Fields(tt.hosts) {
				known, more, found := strings.Cut(text, "/")
				h := smtpprobe.Host{Name: fmt.Sprintf("mx%d.example", i), Addrs: ends(known)}
				switch {
				case more == none:
					h.More = func(context.Context) []netip.Addr { return nil }
				case more == slowly:
					h.More = func(ctx context.Context) []netip.Addr { <-ctx.Done(); return nil }
				case found:
					addrs := ends(more)
					h.More = func(context.Context) []netip.Addr { return addrs }
				}
				hosts = append(hosts, h)
			}

			var start time.Time
			var dials []string
			timed := func(d smtpprobe.Dialer) smtpprobe.Dialer {
				start = time.Now()
				var mu sync.Mutex
				return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
					mu.Lock()
					host, _, _ := net.SplitHostPort(address)
					dials = append(dials, fmt.Sprintf(".%s %v", host[strings.LastIndexByte(host, '.')+1:], time.Since(start)))
					mu.Unlock()
					return d.DialContext(ctx, network, address)
				})
			}
			req := smtpprobe.Request{Hosts: hosts, Budget: tt.budget}
			o := probe(t, setting{by: timed, hosts: at, req: req})
			if got := strings.Join(dials, ", "); got != tt.want || o.err != nil {
				t.Errorf("dialled %s, want %s; error %v", got, tt.want, o.err)
			}
			if o.took > tt.budget {
				t.Errorf("took %v", o.took)
			}
		})
	}
}

// TestTimeIsShared sees how long a slow or silent host may take.
func TestTimeIsShared(t *testing.T) {
	for _, tt := range []struct {
		name  string
		hosts []smtptest.Handler
		found string // of the last session
		took  time.Duration
	}{
		{
			"a tarpit has its time",
			[]smtptest.Handler{slow(4*time.Second, 0, 4*time.Second), good()},
			goodFound, 12 * time.Second,
		},
		{
			"and a greeting of 6 s, with STARTTLS",
			[]smtptest.Handler{&smtptest.Host{STARTTLS: smtptest.TLSWorks, GreetingDelay: 6 * time.Second, ReplyDelay: time.Second}, good()},
			"greeting 220, ehlo 250, starttls 220, mail 250, target 550, control 550, TLS 1.3", 10 * time.Second,
		},
		{
			"a silent host leaves half",
			[]smtptest.Handler{&smtptest.Host{Greeting: smtptest.Hangs}, slow(4*time.Second, 0, 4*time.Second)},
			goodFound, 27 * time.Second,
		},
		{
			"the last host has all that is left",
			[]smtptest.Handler{&smtptest.Host{Greeting: smtptest.Hangs}},
			"failure timeout at greeting", 20 * time.Second,
		},
		{
			"a stalled handshake leaves half for plain text",
			[]smtptest.Handler{tlsHost(smtptest.TLSStalls)},
			goodFound, 15 * time.Second,
		},
		{
			"nobody waits for the replies behind a refused MAIL",
			[]smtptest.Handler{smtptest.Script(group + "S: 550 blocked\nS: 503 MAIL first\nhang")},
			"greeting 220, ehlo 250, mail 550", 0,
		},
		{
			"421 to MAIL is the last word",
			[]smtptest.Handler{smtptest.Script(group + "S: 421 bye\nhang")},
			"greeting 220, ehlo 250, mail 421", 0,
		},
		{
			"hosts that swallow packets",
			[]smtptest.Handler{nil, nil, good()},
			goodFound, 12 * time.Second,
		},
		{
			"the whole time is the end of it",
			[]smtptest.Handler{&smtptest.Host{EHLO: smtptest.Hangs}, &smtptest.Host{EHLO: smtptest.Hangs}, good()},
			"greeting 220, failure timeout at ehlo", 30 * time.Second,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.hosts...)
			if summary(o.last()) != tt.found || o.err != nil || o.took != tt.took {
				t.Errorf("found %v after %v, want %s after %v", o, o.took, tt.found, tt.took)
			}
		})
	}
}

// slow is a good host with delays.
func slow(greeting, reply, rcpt time.Duration) *smtptest.Host {
	h := good()
	h.GreetingDelay, h.ReplyDelay, h.RCPTDelay = greeting, reply, rcpt
	return h
}
