package main

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceHasAllSettings: each number of the settings has a key in the file.
func TestPaceHasAllSettings(t *testing.T) {
	limits := map[string]any{
		"sessions": uint64(1), "sessions_per_minute": uint64(2), "recipients_per_session": uint64(3), "recipients_per_minute": uint64(4),
		"recipients_per_day": "unlimited",
		"refused_pause":      "6s", "deferred_pause": "5s", "throttled_pause": "4s", "slow_for": "3s",
	}
	got, err := readPace(map[string]any{
		"max_pause": "7s", "unknown": limits, "providers": map[string]any{"google": limits},
		"harvest": map[string]any{"recipients": uint64(8), "share": 0.9},
		"egress":  map[string]any{"sessions": uint64(10), "first_day": uint64(11)},
	})
	check(t, err)
	if l := got.Providers["google"]; l != got.Unknown || l.RecipientsPerDay != pace.Unlimited || l.RefusedPause != 6*time.Second {
		t.Errorf("limits %+v and %+v", l, got.Unknown)
	}
	got.Preset = pace.Careful // is read apart
	wantNoZero(t, "settings", reflect.ValueOf(got))
}

func wantNoZero(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			wantNoZero(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
		return
	}
	if v.IsZero() {
		t.Errorf("%s cannot be set in a file", path)
	}
}

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
		"blocks: it has blocked this server", "fast: it said that this server was too fast",
		"harvested: 74 % of the mailboxes that it was asked about do not exist", "busy: ", "calm: ",
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
