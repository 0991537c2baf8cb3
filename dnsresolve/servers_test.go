package dnsresolve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

const oneHost = "example.test. MX 10 mx.test.\nmx.test. A 192.0.2.1\nother.test. MX 10 mx.test.\n"

func TestTheNextServerIsAsked(t *testing.T) {
	tests := []struct {
		kind   dnstest.Kind
		waited time.Duration
	}{
		{dnstest.ServFail, 0},
		{dnstest.Refused, 0},
		{dnstest.Referral, 0},
		{dnstest.Malformed, 0},
		{dnstest.ForgeID, 0},
		{dnstest.ForgeQuestion, 0},
		{dnstest.TruncateForever, 0},
		{dnstest.Unreachable, 0},
		{dnstest.Lose, defaultTryTimeout},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			world := dnstest.New(oneHost)
			world.Break(dnstest.Fault{Server: firstServer, Kind: tt.kind})
			start := time.Now()
			found := find(t, newTest(t, world, twoServers), "example.test")
			if found.Lookups[0].Status != StatusOK || found.Lookups[0].Server != secondServer {
				t.Errorf("fault %d: %+v, want an answer of the second server", tt.kind, found.Lookups[0])
			}
			if waited := time.Since(start); waited != tt.waited {
				t.Errorf("fault %d: took %s, want %s", tt.kind, waited, tt.waited)
			}
		})
	}
}

func TestDenialsAreFinal(t *testing.T) {
	for _, zone := range []string{"", "example.test. TXT \"x\"\n"} {
		world := dnstest.New(zone)
		find(t, newTest(t, world, twoServers), "example.test")
		if n := world.Count("example.test", "MX"); n != 1 {
			t.Errorf("zone %q: asked %d times, want once", zone, n)
		}
	}
}

func TestTries(t *testing.T) {
	tests := []struct {
		name         string
		first, other dnstest.Kind
		asked        []string
		status       Status
	}{
		{"who fails is not asked again", dnstest.ServFail, dnstest.Refused, []string{firstServer, secondServer}, StatusServFail},
		{"who is silent is", dnstest.Lose, dnstest.ServFail, []string{firstServer, secondServer, firstServer, firstServer}, StatusServFail},
		{"until there is no time left", dnstest.Lose, dnstest.Lose,
			[]string{firstServer, secondServer, firstServer, secondServer}, StatusTimeout},
		{"nobody can be reached", dnstest.Unreachable, dnstest.Unreachable,
			[]string{firstServer, secondServer, firstServer, secondServer, firstServer, secondServer}, StatusError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(oneHost)
				world.Break(dnstest.Fault{Server: firstServer, Kind: tt.first})
				world.Break(dnstest.Fault{Server: secondServer, Kind: tt.other})
				found := find(t, newTest(t, world, twoServers), "example.test")
				var asked []string
				for _, q := range world.Queries() {
					asked = append(asked, q.Server)
				}
				if !slices.Equal(asked, tt.asked) || found.Status != tt.status {
					t.Errorf("asked %v: %s; want %v: %s", asked, found.Status, tt.asked, tt.status)
				}
			})
		})
	}
}

func TestSilentServerLosesTheFirstPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Server: firstServer, Kind: dnstest.Lose})
		r := newTest(t, world, twoServers)
		find(t, r, "example.test")
		start := time.Now()
		find(t, r, "other.test")
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the second look-up waited %s for a server known to be silent", waited)
		}
	})
}

func TestTimeoutIsForTheWholeLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Kind: dnstest.Lose})
		start := time.Now()
		found := find(t, newTest(t, world, func(c *Config) { c.Timeout, c.TryTimeout = 5*time.Second, 2*time.Second }), "example.test")
		if waited := time.Since(start); waited != 5*time.Second || found.Status != StatusTimeout {
			t.Errorf("%s after %s, want timeout after 5s", found.Status, waited)
		}
	})
}

func TestContextEndsTheWait(t *testing.T) {
	tests := []struct {
		name    string
		context func() (context.Context, context.CancelFunc)
		status  Status
		err     error
		asked   int
	}{
		{"deadline", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Second)
		}, StatusTimeout, context.DeadlineExceeded, 1},
		{"deadline past", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), -time.Second)
		}, StatusTimeout, context.DeadlineExceeded, 0},
		{"cancelled", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, StatusError, context.Canceled, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(oneHost)
				world.Break(dnstest.Fault{Kind: dnstest.Lose})
				r := newTest(t, world)
				ctx, cancel := tt.context()
				defer cancel()
				start := time.Now()
				found, err := r.MailHosts(ctx, "example.test")
				if found.Status != tt.status || !errors.Is(err, tt.err) || time.Since(start) > time.Second {
					t.Errorf("%s, %v after %s; want %s, %v", found.Status, err, time.Since(start), tt.status, tt.err)
				}
				synctest.Wait()
				if n := world.Count("", ""); n != tt.asked {
					t.Errorf("%d queries, want %d", n, tt.asked)
				}
			})
		})
	}
}

func TestDeadlineKeepsWhatWasFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New("example.test. MX 10 a.test.\nexample.test. MX 20 b.test.\na.test. A 192.0.2.1\nb.test. A 192.0.2.2\n")
		world.Break(dnstest.Fault{Name: "b.test", Kind: dnstest.Lose})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		found, err := newTest(t, world).MailHosts(ctx, "example.test")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		compare(t, found, Findings{Domain: "example.test", Status: StatusOK,
			Hosts: []Host{host("a.test", 10, StatusOK, "192.0.2.1"), host("b.test", 20, StatusTimeout)}})
	})
}

func TestServerAddresses(t *testing.T) {
	tests := []struct{ server, want string }{
		{"192.0.2.1", "192.0.2.1:53"},
		{"192.0.2.1:5353", "192.0.2.1:5353"},
		{"2001:db8::1", "[2001:db8::1]:53"},
		{"fe80::1%eth0", "[fe80::1%eth0]:53"},
		{"[2001:db8::1]", "[2001:db8::1]:53"},
		{"[2001:db8::1]:5353", "[2001:db8::1]:5353"},
		{"ns.test", "ns.test:53"},
		{"ns.test:5353", "ns.test:5353"},
		{"", ""},
		{":53", ""},
		{"ns.test:", ""},
		{"ns.test:0", ""},
		{"ns.test:65536", ""},
		{"ns.test:dns", ""},
		{"udp://ns.test", ""},
		{"a b", ""},
	}
	for _, tt := range tests {
		got, err := address(tt.server, "53")
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q: %q, %v; want %q", tt.server, got, err, tt.want)
		}
	}
}

func TestSystemServers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "resolv.conf")
	tests := []struct {
		content string
		want    []string
	}{
		{"# comment\nnameserver 192.0.2.1\nnameserver 2001:db8::1\nsearch test\n", []string{"192.0.2.1:53", "[2001:db8::1]:53"}},
		{"search test\n", []string{"127.0.0.1:53"}},
	}
	for _, tt := range tests {
		if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := addresses(nil, func() ([]string, string, error) { return fileServers(file) }); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.content, got, err, tt.want)
		}
	}
	if got, err := addresses(nil, func() ([]string, string, error) { return fileServers(file + ".missing") }); err != nil || !slices.Equal(got, []string{"127.0.0.1:53"}) {
		t.Errorf("no file: %v, %v", got, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, config := range []Config{
		{Servers: []string{"192.0.2.1:x"}},
		{Servers: []string{firstServer}, MaxHosts: -1},
		{Servers: []string{firstServer}, MaxAddrs: -1},
		{Servers: []string{firstServer}, Timeout: -1},
		{Servers: []string{firstServer}, TryTimeout: -1},
	} {
		if r, err := New(config); err == nil {
			r.Close()
			t.Errorf("%+v: no error", config)
		}
	}
}
