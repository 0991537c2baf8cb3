package service

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceOutlastsAServer sees that a server that starts knows the pauses that
// the one before knew, and that one with another egress does not.
func TestPaceOutlastsAServer(t *testing.T) {
	s := &state{store: openStore(t, store.Options{DataDir: t.TempDir()})}
	log := slog.New(slog.DiscardHandler)
	config := engine.Config{HELO: "a.example"}
	if got := s.paceMemory(t.Context(), config, log); got != nil {
		t.Errorf("at first: %+v", got)
	}
	want := []pace.Memory{{Provider: "google", PausedUntil: time.Now().Add(time.Hour).UTC().Round(time.Second), Pauses: 2}}
	config.PaceMemory = want
	verifier, err := engine.New(config)
	check(t, err)
	defer func() { _ = verifier.Close() }()
	r := &running{Config: Config{Engine: config}, state: s, logger: log, verifier: verifier}
	ended, end := context.WithCancel(t.Context())
	end()
	r.keepPace(ended)
	if diff := cmp.Diff(want, s.paceMemory(t.Context(), config, log)); diff != "" {
		t.Error(diff)
	}
	if got := s.paceMemory(t.Context(), engine.Config{HELO: "b.example"}, log); got != nil {
		t.Errorf("another egress: %+v", got)
	}
}

// TestPaceOutlastsOtherEgresses sees that what is stored about an egress is
// known to a server with another list of egresses, and stays stored while the
// egress is away.
func TestPaceOutlastsOtherEgresses(t *testing.T) {
	s := &state{store: openStore(t, store.Options{DataDir: t.TempDir()})}
	log := slog.New(slog.DiscardHandler)
	until := time.Now().Add(time.Hour).UTC().Round(time.Second)
	serves := func(memory []pace.Memory, names ...string) []pace.Memory {
		config := engine.Config{HELO: "a.example", PaceMemory: memory}
		for _, name := range names {
			config.Egresses = append(config.Egresses, egress.Egress{Name: name, Dialer: &net.Dialer{}})
		}
		verifier, err := engine.New(config)
		check(t, err)
		defer func() { _ = verifier.Close() }()
		r := &running{Config: Config{Engine: config}, state: s, logger: log, verifier: verifier}
		r.storePace(t.Context())
		return s.paceMemory(t.Context(), config, log)
	}
	want := []pace.Memory{{Provider: "google", Egress: "a", PausedUntil: until, Pauses: 2}}
	got := serves(want, "a", "b")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, serves(got, "b", "c")); diff != "" {
		t.Errorf("without a: %s", diff)
	}
}

// TestPaceMemoryFits sees that what is stored is bounded, and has the pauses.
func TestPaceMemoryFits(t *testing.T) {
	var memory []pace.Memory
	for i := range 5000 {
		m := pace.Memory{Provider: fmt.Sprintf("d%d.example", i), Budget: pace.Budget{Level: i % 3}}
		if i%100 == 0 {
			m.PausedUntil = time.Now()
		}
		memory = append(memory, m)
	}
	paused := 0
	got := mostUseful(memory)
	for _, m := range got {
		if !m.PausedUntil.IsZero() {
			paused++
		}
	}
	if len(got) > maxPaceMemory || paused != 50 {
		t.Errorf("%d are stored, %d of them paused", len(got), paused)
	}
	if few := memory[:10]; len(mostUseful(few)) != 10 {
		t.Error("a few are too many")
	}
}
