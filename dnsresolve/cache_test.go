package dnsresolve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

func TestAnswersAreKept(t *testing.T) {
	const soa = "test. %d SOA ns.test. hostmaster.test. 1 3600 600 86400 %d\n"
	tests := []struct {
		name, zone string
		fault      dnstest.Kind
		status     Status
		ttl        uint32
	}{
		{"as long as the TTL says", "example.test. 60 MX 0 .\n", dnstest.None, StatusOK, 60},
		{"the least TTL of the set counts", "example.test. 60 MX 0 a.test.\nexample.test. 50 MX 1 b.test.\n", dnstest.None, StatusOK, 50},
		{"the alias's TTL counts", "example.test. 20 CNAME a.test.\na.test. 60 MX 0 .\n", dnstest.None, StatusOK, 20},
		{"TTL 0 is raised", "example.test. 0 MX 0 .\n", dnstest.None, StatusOK, minTTL},
		{"a day is cut", "example.test. 86400 MX 0 .\n", dnstest.None, StatusOK, maxTTL},
		{"TTL with the top bit set is 0", "example.test. 2147483648 MX 0 .\n", dnstest.None, StatusOK, minTTL},
		{"NXDOMAIN: the SOA's minimum", fmt.Sprintf(soa, 200, 100), dnstest.None, StatusNXDomain, 100},
		{"NXDOMAIN: the SOA's TTL", fmt.Sprintf(soa, 90, 100), dnstest.None, StatusNXDomain, 90},
		{"NODATA: the SOA's minimum", fmt.Sprintf(soa, 200, 100) + "example.test. TXT \"x\"\n", dnstest.None, StatusNoData, 100},
		{"a denial for a day is cut", fmt.Sprintf(soa, 86400, 86400), dnstest.None, StatusNXDomain, maxNegativeTTL},
		{"a denial for no time is raised", fmt.Sprintf(soa, 0, 0), dnstest.None, StatusNXDomain, minTTL},
		{"a denial without SOA", "", dnstest.NXDomain, StatusNXDomain, failureTTL},
		{"a failure", "", dnstest.ServFail, StatusServFail, failureTTL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New(tt.zone)
				world.Break(dnstest.Fault{Kind: tt.fault})
				r := newTest(t, world)
				ask := func() Lookup {
					_, evidence := r.look(t.Context(), "example.test", dns.TypeMX)
					return evidence
				}
				if first := ask(); first.Status != tt.status || first.TTL != tt.ttl || first.Cached {
					t.Fatalf("first: %+v, want %s for %d s", first, tt.status, tt.ttl)
				}
				time.Sleep(time.Duration(tt.ttl-1) * time.Second)
				if second := ask(); second.Status != tt.status || second.TTL != 1 || !second.Cached {
					t.Errorf("a second before the end: %+v, want it from the cache", second)
				}
				time.Sleep(time.Second)
				if third := ask(); third.Cached {
					t.Errorf("at the end: %+v, want a new answer", third)
				}
			})
		})
	}
}

func TestCachedFindingsAreTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTest(t, dnstest.New(oneHost))
		first := find(t, r, "example.test")
		second := find(t, r, "EXAMPLE.test")
		for i, l := range second.Lookups {
			if !l.Cached || l.Server != firstServer {
				t.Errorf("%s %s: %+v, want it from the cache, with the server that said it", l.Name, l.Type, l)
			}
			second.Lookups[i].Cached = false
		}
		compare(t, second, first)
	})
}

func TestNoCache(t *testing.T) {
	world := dnstest.New(oneHost)
	r := newTest(t, world, noCache)
	for range 3 {
		if found := find(t, r, "example.test"); found.Lookups[0].Cached {
			t.Error("found in a cache that is none")
		}
	}
	if n := world.Count("example.test", "MX"); n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
}

// The cache may refuse everything; what is found must not depend on it.
func TestCacheWithoutRoom(t *testing.T) {
	world := dnstest.New(oneHost)
	r := newTest(t, world, func(c *Config) { c.CacheBytes = 1 })
	for range 3 {
		compare(t, find(t, r, "example.test"),
			Findings{Domain: "example.test", Status: StatusOK, Hosts: []Host{host("mx.test", 10, StatusOK, "192.0.2.1")}})
	}
	if n := world.Count("example.test", "MX"); n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
}

func TestCacheIsBounded(t *testing.T) {
	const octets = 100 * entryCost
	c := newCache(octets)
	for i := range 10_000 {
		c.put(question{fmt.Sprintf("%d.test.", i), dns.TypeMX}, &answer{expires: time.Now().Add(time.Minute)})
	}
	kept := 0
	for i := range 10_000 {
		if c.get(question{fmt.Sprintf("%d.test.", i), dns.TypeMX}) != nil {
			kept++
		}
	}
	if kept != octets/entryCost {
		t.Errorf("%d entries kept, want %d", kept, octets/entryCost)
	}
}

func TestOneQueryForManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Delay: time.Second})
		r := newTest(t, world, noCache)
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() {
				if found := find(t, r, "example.test"); found.Hosts[0].Status != StatusOK {
					t.Errorf("found %+v", found)
				}
			})
		}
		callers.Wait()
		if n := world.Count("", ""); n != 3 {
			t.Errorf("%d queries, want 3", n)
		}
	})
}

func TestTheFirstCallerMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Delay: 2 * time.Second})
		r := newTest(t, world, noCache)
		ctx, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := r.MailHosts(ctx, "example.test"); !errors.Is(err, context.Canceled) {
				t.Errorf("first caller: %v, want cancelled", err)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			if found := find(t, r, "example.test"); found.Status != StatusOK {
				t.Errorf("second caller: %s, want ok", found.Status)
			}
		})
		synctest.Wait()
		cancel()
		callers.Wait()
		if n := world.Count("example.test", "MX"); n != 2 {
			t.Errorf("%d queries, want 2", n)
		}
	})
}

func TestQuestionsUnderWayAreBounded(t *testing.T) {
	for _, tt := range []struct{ config, most int }{{0, defaultMaxQueries}, {3, 3}} {
		synctest.Test(t, func(t *testing.T) {
			callers := tt.most + 10
			world := dnstest.New("")
			world.Break(dnstest.Fault{Delay: time.Second})
			r := newTest(t, world, noCache, func(c *Config) { c.MaxQueries = tt.config })
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() { r.look(t.Context(), fmt.Sprintf("%d.test", i), dns.TypeMX) })
			}
			synctest.Wait()
			if n := world.Count("", ""); n != tt.most {
				t.Errorf("%d queries at once, want %d", n, tt.most)
			}
			all.Wait()
			if n := world.Count("", ""); n != callers {
				t.Errorf("%d queries in the end, want %d", n, callers)
			}
		})
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Name: "other.test", Kind: dnstest.Lose})
		r := newTest(t, world)
		find(t, r, "example.test")
		var caller sync.WaitGroup
		caller.Go(func() {
			if found := find(t, r, "other.test"); found.Status != StatusError {
				t.Errorf("under way: %s, want error", found.Status)
			}
		})
		synctest.Wait()
		start := time.Now()
		r.Close()
		r.Close()
		caller.Wait()
		if waited := time.Since(start); waited != 0 {
			t.Errorf("Close took %s", waited)
		}
		found := find(t, r, "example.test")
		if found.Status != StatusError || found.Lookups[0].Error != errClosed.Error() {
			t.Errorf("closed: %+v, want an error", found)
		}
	})
}

// TestWhoGivesUpLeavesNothingBehind checks that a caller that gives up leaves
// no goroutine, no occupied place, and nothing that is taken for an answer.
func TestWhoGivesUpLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Kind: dnstest.Lose, Type: "MX"})
		r := newTest(t, world)
		var callers sync.WaitGroup
		for i := range 2 * defaultMaxQueries {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%2)*time.Second)
				defer cancel()
				if a, _ := r.look(ctx, fmt.Sprintf("%d.test", i), dns.TypeMX); a.status != StatusTimeout {
					t.Errorf("status %q, explained by %q", a.status, a.explain)
				}
			})
		}
		synctest.Wait()
		if underWay() == 0 {
			t.Error("no question is under way")
		}
		callers.Wait()
		synctest.Wait()
		if n := underWay(); n > 0 || len(r.calls) != 0 || len(r.places) != 0 {
			t.Errorf("%d goroutines, %d questions and %d places are left", n, len(r.calls), len(r.places))
		}
		if found, _ := r.look(t.Context(), "mx.test", dns.TypeA); found.status != StatusOK {
			t.Errorf("later: status %q, explained by %q", found.status, found.explain)
		}
	})
}

// underWay returns the number of goroutines that work for a resolver. The
// runtime has a varying number of its own.
func underWay() int {
	all := make([]byte, 1<<20)
	return bytes.Count(all[:runtime.Stack(all, true)], []byte("dnsresolve.(*Resolver).question("))
}

func TestSecondsLeft(t *testing.T) {
	now := time.Now()
	for left, want := range map[time.Duration]uint32{-time.Minute: 0, -1: 0, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2} {
		if got := secondsLeft(now.Add(left), now); got != want {
			t.Errorf("%v: %d, want %d", left, got, want)
		}
	}
}
