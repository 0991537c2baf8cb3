package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

const (
	// paceEvery is how often the pauses and budgets of providers are stored, if
	// they have changed.
	paceEvery = time.Minute
	// maxPaceMemory is how many are stored: their JSON is within what a setting
	// may have.
	maxPaceMemory = 300
)

// paceKey is the name under which the pauses and budgets of a node's
// egresses are stored: providers see the nodes as different clients.
func paceKey(config engine.Config) string { return "pace " + egressIdentity(config) }

// paceMemory returns what was stored. Without it, nothing is known of
// providers.
func (s *serviceState) paceMemory(ctx context.Context, config engine.Config, log *slog.Logger) (memory []pace.Memory) {
	if s.store == nil {
		return nil
	}
	settings, err := s.store.Settings(ctx)
	if stored := settings[paceKey(config)]; err == nil && stored != nil {
		err = json.Unmarshal(stored, &memory)
	}
	if err != nil {
		log.Warn("cannot read how providers were asked before", slog.String("error", err.Error()))
		return nil
	}
	return memory
}

// keepPace stores the pauses and budgets now and then, until ctx is canceled,
// and once more at the end.
func (r *running) keepPace(ctx context.Context) {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	var stored []byte
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
		memory := r.verifier.PaceMemory()
		text, err := json.Marshal(mostUseful(memory))
		if bytes.Equal(text, stored) || stored == nil && len(memory) == 0 {
			continue
		}
		if err == nil {
			err = r.state.store.SetSetting(context.WithoutCancel(ctx), paceKey(r.engine), text)
		}
		if err != nil {
			r.logger.Warn("cannot store how providers were asked", slog.String("error", err.Error()))
			continue
		}
		stored = text
	}
}

// mostUseful leaves out what is too much: pauses are kept, then the budgets
// that have grown most, then those that were used most.
func mostUseful(memory []pace.Memory) []pace.Memory {
	slices.SortStableFunc(memory, func(a, b pace.Memory) int {
		return cmp.Or(b.PausedUntil.Compare(a.PausedUntil), cmp.Compare(b.Budget.Level, a.Budget.Level),
			cmp.Compare(b.Budget.Named, a.Budget.Named))
	})
	return memory[:min(len(memory), maxPaceMemory)]
}
