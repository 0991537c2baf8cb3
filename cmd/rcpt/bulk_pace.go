package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// paceWatch follows how providers are asked during a run.
type paceWatch struct {
	pacing  func() []smtpprobe.ProviderPace
	refused map[string]float64 // largest share at providers that slowed us down for it
}

func newPaceWatch(pacing func() []smtpprobe.ProviderPace) *paceWatch {
	return &paceWatch{pacing, map[string]float64{}}
}

// heldUp is the provider for which most of what is in progress waits; the zero
// value: for none.
type heldUp struct {
	provider string
	waiting  int64     // for a session; 0: the addresses are to be retried
	until    time.Time // it is paused until then; zero: it is not
}

// observe looks at the providers, and says which one holds the list up: that
// for which most addresses wait, or if most are to be retried, the one whose
// pause ends first.
func (w *paceWatch) observe(p bulk.Progress) (held heldUp) {
	waiting := map[string]heldUp{}
	var paused heldUp
	for _, now := range w.pacing() {
		if now.Slowed == pace.Harvesting || now.Paused == pace.Harvesting {
			w.refused[now.Provider] = max(w.refused[now.Provider], now.Refused)
		}
		if end := now.PausedUntil; !end.IsZero() && (paused.until.IsZero() || end.Before(paused.until)) {
			paused = heldUp{provider: now.Provider, until: end}
		}
		h := waiting[now.Provider]
		h.provider, h.waiting = now.Provider, h.waiting+int64(now.Waiting)
		if now.Waiting > 0 && now.PausedUntil.After(h.until) {
			h.until = now.PausedUntil
		}
		waiting[now.Provider] = h
	}
	for _, provider := range slices.Sorted(maps.Keys(waiting)) {
		if h := waiting[provider]; h.waiting > held.waiting {
			held = h
		}
	}
	switch left := p.Read - p.Done; {
	case 2*held.waiting > left:
		return held
	case 2*p.Waiting > left:
		return paused
	}
	return heldUp{}
}

// text is "3,201 wait for google", or "google is paused until 20:48".
func (h heldUp) text() string {
	if h.waiting == 0 {
		return h.provider + " is paused until " + h.until.Format("15:04")
	}
	text := fmt.Sprintf("%s wait for %s", humanize.Comma(h.waiting), h.provider)
	if !h.until.IsZero() {
		text += " until " + h.until.Format("15:04")
	}
	return text
}

// harvested is a provider where so many mailboxes did not exist that it was
// asked more slowly.
type harvested struct {
	provider string
	share    float64
}

// harvested returns these providers, the worst first.
func (w *paceWatch) harvested() (all []harvested) {
	for _, provider := range slices.Sorted(maps.Keys(w.refused)) {
		all = append(all, harvested{provider, w.refused[provider]})
	}
	slices.SortStableFunc(all, func(a, b harvested) int { return cmp.Compare(b.share, a.share) })
	return all
}
