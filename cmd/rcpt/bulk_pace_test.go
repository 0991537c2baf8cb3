package main

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceWatch: the progress names the provider for which most addresses in
// progress wait, and the summary those that took us for harvesters.
func TestPaceWatch(t *testing.T) {
	soon, later := time.Now().Add(time.Minute), time.Now().Add(time.Hour)
	of := func(name string, waiting int, s pace.State) smtpprobe.ProviderPace {
		return smtpprobe.ProviderPace{Rules: pace.Rules{Provider: name}, State: s, Waiting: waiting}
	}
	var now []smtpprobe.ProviderPace
	w := newPaceWatch(func() []smtpprobe.ProviderPace { return now })
	for _, c := range []struct {
		name    string
		now     []smtpprobe.ProviderPace
		want    heldUp
		retried int64
	}{
		{"nobody is asked", nil, heldUp{}, 0},
		{"half waits", []smtpprobe.ProviderPace{of("google", 50, pace.State{})}, heldUp{}, 0},
		{"most wait", []smtpprobe.ProviderPace{of("google", 51, pace.State{}), of("yahoo", 40, pace.State{PausedUntil: soon})}, heldUp{"google", 51, time.Time{}}, 0},
		{"at two egresses", []smtpprobe.ProviderPace{of("google", 30, pace.State{PausedUntil: later, Slowed: pace.Harvesting, Refused: 0.7}), of("google", 30, pace.State{PausedUntil: soon})},
			heldUp{"google", 60, later}, 0},
		{"paused, but nobody waits there", []smtpprobe.ProviderPace{of("google", 0, pace.State{PausedUntil: later, Paused: pace.Harvesting, Refused: 0.65}), of("google", 60, pace.State{})},
			heldUp{"google", 60, time.Time{}}, 0},
		{"most are retried", []smtpprobe.ProviderPace{of("yahoo", 0, pace.State{PausedUntil: later}), of("microsoft", 0, pace.State{PausedUntil: soon}), of("google", 9, pace.State{})},
			heldUp{"microsoft", 0, soon}, 51},
		{"some are retried", []smtpprobe.ProviderPace{of("yahoo", 0, pace.State{PausedUntil: later})}, heldUp{}, 50},
		{"greylisting", nil, heldUp{}, 99},
		{"another", []smtpprobe.ProviderPace{of("hoster.example", 0, pace.State{Slowed: pace.Harvesting, Refused: 0.9}), of("yahoo", 0, pace.State{Slowed: pace.RateLimited, Refused: 0.99})}, heldUp{}, 0},
	} {
		now = c.now
		if got := w.observe(bulk.Progress{Read: 1100, Done: 1000, Waiting: c.retried}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	now = nil
	if got := w.observe(bulk.Progress{}); got != (heldUp{}) {
		t.Errorf("at the end: %+v", got)
	}
	if got, want := w.harvested(), []harvested{{"hoster.example", 0.9}, {"google", 0.7}}; !slices.Equal(got, want) {
		t.Errorf("harvested %v, want %v", got, want)
	}
}
