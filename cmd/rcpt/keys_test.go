package main

import (
	"context"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestKeysBesideServer: a process that uses the data folder sees within a
// second which keys the command creates and revokes.
func TestKeysBesideServer(t *testing.T) {
	folder := t.TempDir()
	serving, err := store.Open(t.Context(), store.Options{DataDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer serving.Close()
	keys, err := keyring.Open(t.Context(), keyring.Config{Store: serving})
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()

	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	std, flags := terminal{out: out, err: out}, keysFlags{DataFlag: settings.DataFlag{Data: folder}}
	if err := (&keysCreateCommand{keysFlags: flags, Scope: []keyScope{"verify"}}).Run(t.Context(), std, &settings.LogFlags{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	key, _, _ := strings.Cut(string(text), "\n")
	admitted := func() bool {
		grant, err := keys.Admit(context.Background(), key, store.ScopeVerify, netip.Addr{})
		if err == nil {
			grant.Done(true)
		}
		return err == nil
	}
	testkit.Eventually(t, "the new key is admitted", admitted)
	if err := (&keysRevokeCommand{keysFlags: flags, Key: []string{key}}).Run(t.Context(), std, &settings.LogFlags{}); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the revoked key is refused", func() bool { return !admitted() })
}

func TestRequestRate(t *testing.T) {
	for text, want := range map[string]float64{
		"10/s": 10, "10": 10, "2.5/s": 2.5, "600/m": 10, "36/h": 0.01, "86400/d": 1, "0.01/d": 0.01 / 86400, "1e6/s": 1e6,
		"": 0, "0": 0, "-1/s": 0, "/s": 0, "10/": 0, "10/w": 0, "10 /s": 0, "NaN": 0, "Inf": 0, "1e7/s": 0, "1e400": 0, "0.001": 0, "10/s/s": 0,
	} {
		var got requestRate
		if err := got.UnmarshalText([]byte(text)); (err == nil) != (want > 0) || math.Abs(got.perSecond-want) > 1e-12 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"10/s": "10/s", "2.5/s": "150/m", "100/h": "100/h", "20/m": "20/m", "7/d": "7/d", "2.71828/s": "2.718/s"} {
		var rate requestRate
		if err := rate.UnmarshalText([]byte(text)); err != nil || keyring.RateText(rate.perSecond) != want {
			t.Errorf("%s is shown as %s, want %s (%v)", text, keyring.RateText(rate.perSecond), want, err)
		}
	}
}

// TestBurstOfRate: a rate of N allows N at once, whatever its time unit.
func TestBurstOfRate(t *testing.T) {
	for text, want := range map[string]int{"5/s": 5, "10/m": 10, "2.5/s": 3, "0.5/s": 1, "1000/d": 1000} {
		var rate requestRate
		if err := rate.UnmarshalText([]byte(text)); err != nil || rate.burst() != want {
			t.Errorf("%s: %d at once, want %d (%v)", text, rate.burst(), want, err)
		}
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"90d": "2027-02-20T12:00:00Z", "12h": "2026-11-23T00:00:00Z", "1h30m": "2026-11-22T13:30:00Z", "2026-11-23": "2026-11-24T00:00:00Z", "2026-11-22": "2026-11-23T00:00:00Z",
		"2026-11-22T14:00:00+01:00": "2026-11-22T13:00:00Z",
		"":                          "", "0d": "", "-1d": "", "1.5d": "", "36501d": "", "99999d": "", "0s": "", "-12h": "", "tomorrow": "", "2026-11-31": "", "2026-11-21": "", "2026-11-22T12:00:00Z": "",
	} {
		var e expiry
		err := e.UnmarshalText([]byte(text))
		var at time.Time
		if err == nil {
			at, err = e.from(now)
		}
		if (err == nil) != (want != "") || err == nil && at.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v", text, at, err)
		}
	}
	if at, err := (expiry{}).from(now); err != nil || !at.IsZero() {
		t.Errorf("without: %v, %v", at, err)
	}
}
