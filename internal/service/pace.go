package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

const (
	// paceEvery is how often the pauses and budgets of providers are stored, if
	// they have changed.
	paceEvery = time.Minute
	// maxPaceMemory bounds the providers stored for an egress, so that their
	// JSON fits into a setting.
	maxPaceMemory = 300
)

// paceKey is the name under which the pauses and budgets of an egress are
// stored: providers see each node and egress as a client of its own. Those of
// an egress that was removed stay, for the case that it comes back.
func paceKey(config engine.Config, egress string) string {
	key := "pace " + config.HELO + " " + config.MailFrom
	if egress != "" {
		key += pacedBy + egress
	}
	return key
}

const pacedBy = " by "

// paceMemory returns what was stored. Without it, nothing is known of
// providers.
func (s *state) paceMemory(ctx context.Context, config engine.Config, log *slog.Logger) (memory []pace.Memory) {
	if s.store == nil {
		return nil
	}
	settings, err := s.store.Settings(ctx)
	direct := paceKey(config, "")
	for key, stored := range settings {
		if key == direct || strings.HasPrefix(key, direct+pacedBy) {
			var of []pace.Memory
			err = cmp.Or(err, json.Unmarshal(stored, &of))
			memory = append(memory, of...)
		}
	}
	if err != nil {
		log.Warn("cannot read how providers were asked before", slog.String("error", err.Error()))
	}
	return memory
}

// keepPace stores the pauses and budgets now and then, until ctx is canceled,
// and once more at the end.
func (r *running) keepPace(ctx context.Context) {
	tick := time.NewTicker(paceEvery)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
		r.storePace(context.WithoutCancel(ctx))
	}
}

// storePace stores the pauses and budgets of the present egresses that have
// changed.
func (r *running) storePace(ctx context.Context) {
	memory := map[string][]pace.Memory{}
	for _, m := range r.verifier.PaceMemory() {
		memory[m.Egress] = append(memory[m.Egress], m)
	}
	r.storing.Lock()
	defer r.storing.Unlock()
	if r.stored == nil {
		r.stored = make(map[string][]byte)
	}
	for _, e := range r.verifier.Egresses() {
		text, err := json.Marshal(mostUseful(memory[e.Name]))
		before := r.stored[e.Name]
		if bytes.Equal(text, before) || before == nil && len(memory[e.Name]) == 0 {
			continue
		}
		if err == nil {
			err = r.state.store.SetSetting(ctx, paceKey(r.Engine, e.Name), text)
		}
		if err != nil {
			r.logger.Warn("cannot store how providers were asked", slog.String("error", err.Error()))
			continue
		}
		r.stored[e.Name] = text
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
