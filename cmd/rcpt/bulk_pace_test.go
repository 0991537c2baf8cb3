package main

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// watchOf is a watch over providers, each with a domain of its own.
func watchOf(providers *[]smtpprobe.ProviderPace, total int64, now func() time.Time) *paceWatch {
	return &paceWatch{
		pacing:  func() []smtpprobe.ProviderPace { return *providers },
		paced:   func(domain string) string { return domain + ".provider" },
		network: func() headway.Fault { return "" },
		total:   func() file.Total { return file.Total{Rows: total, Exact: true} },
		now:     now, refused: map[string]float64{},
	}
}

// TestPaceWatch: the progress names the providers for which addresses wait, and
// the summary those that took us for harvesters.
func TestPaceWatch(t *testing.T) {
	later := time.Now().Add(time.Hour)
	of := func(name string, s pace.State) smtpprobe.ProviderPace {
		return smtpprobe.ProviderPace{Rules: pace.Rules{Provider: name}, State: s, Waiting: 1}
	}
	var now []smtpprobe.ProviderPace
	w := watchOf(&now, 1100, time.Now)
	for _, c := range []struct {
		name string
		now  []smtpprobe.ProviderPace
		p    bulk.Progress
		want []string
	}{
		{"nobody is asked", nil, bulk.Progress{}, nil},
		{"as usual", []smtpprobe.ProviderPace{of("a.provider", pace.State{})}, bulk.Progress{ByDomain: map[string]int64{"a": 9}}, nil},
		{"slowed: those that are planned, and those that were put aside",
			[]smtpprobe.ProviderPace{of("a.provider", pace.State{Slowed: pace.Harvesting, Refused: 0.7})},
			bulk.Progress{ByDomain: map[string]int64{"a": 9, "b": 5}, HeldBack: map[string]int64{"a.provider": 100}},
			[]string{"109 wait for a.provider: slowed down because most of its mailboxes do not exist"}},
		{"slowed, and it has nothing of the list", []smtpprobe.ProviderPace{of("b.provider", pace.State{Slowed: pace.Harvesting, Refused: 0.9})},
			bulk.Progress{ByDomain: map[string]int64{"a": 9}}, nil},
		{"slowed for another reason", []smtpprobe.ProviderPace{of("c.provider", pace.State{Slowed: pace.RateLimited, Refused: 0.99})}, bulk.Progress{}, nil},
		{"paused, and some are retried", []smtpprobe.ProviderPace{of("a.provider", pace.State{Paused: pace.Blocked, PausedUntil: later})},
			bulk.Progress{ByDomain: map[string]int64{"a": 1}, Waiting: 2},
			[]string{"1 waits for a.provider: paused because it refused this server", "2 are asked again later, after a temporary answer"}},
	} {
		now = c.now
		c.p.Read, c.p.Done = 1100, 100
		var got []string
		for _, w := range w.observe(c.p).waiting {
			got = append(got, w.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got, want := w.harvested(), []harvested{{"b.provider", 0.9}, {"a.provider", 0.7}}; !slices.Equal(got, want) {
		t.Errorf("harvested %v, want %v", got, want)
	}
}

// TestPaceWatchRate: what was taken from the journal is no rate, and the time
// left follows the last seconds.
func TestPaceWatchRate(t *testing.T) {
	at := time.Date(2026, 1, 2, 20, 43, 0, 0, time.UTC)
	var none []smtpprobe.ProviderPace
	w := watchOf(&none, 100_000, func() time.Time { return at })
	p := bulk.Progress{Read: 60_000, Done: 50_000, Recalled: 50_000}
	var s standing
	for range 20 {
		s = w.observe(p)
		at = at.Add(time.Second)
		p.Done += 100
	}
	if s = w.observe(p); s.rate != 100 || s.fraction != 0.52 || s.left != 480*time.Second {
		t.Errorf("%+v", s)
	}
	none = []smtpprobe.ProviderPace{{Rules: pace.Rules{Provider: "a.provider"}, State: pace.State{Slowed: pace.Harvesting, LastMinute: 1000}, Waiting: 1}}
	p = bulk.Progress{Read: 30_000, Done: 10_000, Recalled: 10_000, ByDomain: map[string]int64{"a": 20_000}}
	if s = w.observe(p); s.left != 90*time.Minute || s.waiting[0].Addresses != 20_000 { // what was not read yet waits, too
		t.Errorf("most was not read: %+v", s)
	}
	none, p = nil, bulk.Progress{Read: 60_000, Done: 52_000, Recalled: 50_000}
	for range 12 {
		at = at.Add(time.Second)
		s = w.observe(p)
	}
	if s.rate != 0 || s.left >= 0 {
		t.Errorf("nothing has moved: %+v", s)
	}
}
