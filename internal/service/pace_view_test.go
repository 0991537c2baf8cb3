package service

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceRows: the Health page has providers in trouble first, says why, and
// does not grow.
func TestPaceRows(t *testing.T) {
	of := func(name string, waiting int, s pace.State) smtpprobe.ProviderPace {
		return smtpprobe.ProviderPace{Rules: pace.Rules{Provider: name}, State: s, Waiting: waiting}
	}
	rows := paceRows([]smtpprobe.ProviderPace{
		of("busy", 900, pace.State{Sessions: 5, Allowed: 5}),
		of("harvested", 3, pace.State{Slowed: pace.Harvesting, Refused: 0.744}),
		of("fast", 8, pace.State{Slowed: pace.RateLimited}),
		of("calm", 0, pace.State{Allowed: pace.Unlimited}),
		of("blocks", 1, pace.State{Paused: pace.Blocked, Slowed: pace.RateLimited, PausedUntil: time.Now()}),
	})
	var got []string
	for _, r := range rows {
		got = append(got, r.Provider+": "+r.Reason)
	}
	want := []string{
		"blocks: paused because it refused this server", "fast: slowed down because it found this server too fast",
		"harvested: slowed down because most of its mailboxes do not exist (74%)", "busy: ", "calm: ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i, r := range rows {
		if r.Harvesting != (i == 2) || r.Slowed != (i < 3) || r.Until.IsZero() != (i > 0) {
			t.Errorf("%+v", r)
		}
	}
	if n := len(paceRows(make([]smtpprobe.ProviderPace, 1000))); n != maxPaceRows {
		t.Errorf("%d rows", n)
	}
}
