package dnsresolve

import (
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// TestStats counts the three queries about a domain with one mail host when
// they are sent, when each is in the cache, and when the findings are kept.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTest(t, dnstest.New("example.test. MX 0 mx.test.\nmx.test. A 192.0.2.1\ntest. 300 SOA ns.test. hostmaster.test. 1 3600 600 86400 100\n"))
		check := func(when string, want Stats) {
			t.Helper()
			if got := r.Stats(); got != want {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		check("before", Stats{})
		find(t, r, "example.test")
		check("asked", Stats{Lookups: 3})
		find(t, r, "example.test")
		check("found in the cache", Stats{Lookups: 6, Cached: 3})
		if _, ok := r.Known("example.test"); !ok {
			t.Error("not known")
		}
		check("known", Stats{Lookups: 9, Cached: 6})
		if _, err := r.IPv4(t.Context(), "mx.test"); err != nil {
			t.Error(err)
		}
		check("one alone", Stats{Lookups: 10, Cached: 7})
	})
}
