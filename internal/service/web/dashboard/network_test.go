package dashboard

import (
	"context"
	"html"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// TestNetworkFault: pages that rest on the network say that it does not work,
// and the menu of all has a mark; Health names the fault once.
func TestNetworkFault(t *testing.T) {
	var now atomic.Value // read by the manager, too
	now.Store(headway.Fault(""))
	health := Health{
		Checks:    []NetworkCheck{{Name: ResolverCheck, Tested: true, Fault: "no DNS server answers at 127.0.0.1:19654"}},
		Resolvers: []Resolver{{Server: "127.0.0.1:19654", Fault: "could not be reached"}}, Examination: &Examination{Passed: 1},
	}
	w := newWorld(t, func(c *Config) {
		c.Lists, _ = dashboardtest.NewListsIn(t, c.Store, jobs.Limits{}, func() headway.Fault { return now.Load().(headway.Fault) })
		c.Health = func(context.Context) Health { return health }
	})
	w.setUp(t)
	for _, fault := range []headway.Fault{"", headway.NoResolver, headway.NoPort} {
		now.Store(fault)
		for path, concerned := range map[string]bool{"/lists": true, "/check": true, "/usage": false, "/health": false} {
			page := w.get(t, path).body
			if says := fault != "" && strings.Contains(page, "<span>"+html.EscapeString(fault.Sentence())+". <a href=\"/health\">"); says != (concerned && fault != "") {
				t.Errorf("%s with %q: it says it: %v", path, fault, says)
			}
			if marked := strings.Contains(page, `class="alarm"`); marked != (fault != "") {
				t.Errorf("%s with %q: the mark: %v", path, fault, marked)
			}
		}
	}
	page := w.get(t, "/health").body
	if n := strings.Count(page, "127.0.0.1:19654"); n != 2 || !strings.Contains(page, "1 thing needs your attention") { // on top, and in its section
		t.Errorf("the fault stands there %d times:\n%s", n, page)
	}
	if !strings.Contains(page, "1 check passed") {
		t.Errorf("one check:\n%s", page)
	}
	health.Resolvers = append(health.Resolvers, Resolver{Server: "192.0.2.53", LastAnswer: w.clock.Now()})
	if page := w.get(t, "/health").body; !strings.Contains(page, "192.0.2.53") || !strings.Contains(page, "could not be reached") {
		t.Errorf("one of two servers:\n%s", page)
	}
}
