package metrics

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newMetrics watches everything that there is to watch.
func newMetrics(t testing.TB) *Metrics {
	t.Helper()
	m, err := New(watchAll())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func watchAll() Config {
	return Config{
		Version: "v1.2.3", Routes: []string{"/api/v1/verify", "/healthz", "/"},
		Engine: func() engine.Stats {
			return engine.Stats{SMTP: smtpprobe.Stats{Sessions: 7, Idle: 2, UnderWay: 9, Waiting: 11, Hosts: 13}}
		},
		Pacing: func() []smtpprobe.ProviderPace {
			return []smtpprobe.ProviderPace{
				{Rules: pace.Rules{Provider: "google"}, State: pace.State{Sessions: 3, Allowed: 5, Slowed: pace.Harvesting}, Egress: "a", Waiting: 100},
				{Rules: pace.Rules{Provider: "google"}, State: pace.State{Sessions: 2, Allowed: 1, Paused: pace.Blocked, Slowed: pace.RateLimited}, Egress: "b", Waiting: 20},
				{Rules: pace.Rules{Provider: "hoster.example"}, State: pace.State{Sessions: 4, Allowed: pace.Unlimited, Paused: pace.BudgetSpent}, Waiting: 7},
				{Rules: pace.Rules{Provider: "192.0.2.0/24"}, State: pace.State{Sessions: 1, Allowed: 10}, Waiting: 1},
			}
		},
		Egresses: func() []smtpprobe.Egress {
			return []smtpprobe.Egress{{Name: "a", Sessions: 3}, {Name: "b", Down: true}, {Sessions: 2, Leaving: true}}
		},
		Admission: func() Admission { return Admission{Running: 3, Waiting: 1, Limit: 1000} },
		Cache:     func() Cache { return Cache{Hits: 5, StoreHits: 6, Misses: 7, Entries: 8} },
		Rechecks:  func() Rechecks { return Rechecks{Waiting: 1, Done: 2, GivenUp: 3, Dropped: 4} },
		Store: func() Store {
			return Store(store.Stats{Queued: 1, Dropped: 2, Commits: 3, Failures: 4, LastCommit: 250 * time.Millisecond, InUse: 5, Open: 6})
		},
		Doctor: func() Doctor { return Doctor{"ok": 12, "warning": 0, "fault": 1, "skipped": 2} },
		Keys:   func() Keys { return Keys{Usable: 5000, Age: 1500 * time.Millisecond} },
	}
}

// scraped is what Prometheus gets to see.
func scraped(t testing.TB, m *Metrics) string {
	t.Helper()
	response := httptest.NewRecorder()
	m.Handler().ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if response.Code != http.StatusOK {
		t.Fatalf("status %d: %s", response.Code, response.Body)
	}
	return response.Body.String()
}

// series counts the lines that are no comments.
func series(text string) int {
	n := 0
	for line := range bytes.Lines([]byte(text)) {
		if line[0] != '#' {
			n++
		}
	}
	return n
}
