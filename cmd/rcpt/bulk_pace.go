package main

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// paceWatch follows how a run gets on.
type paceWatch struct {
	pacing  func() []smtpprobe.ProviderPace
	paced   func(domain string) string // which of them is asked about a domain; empty: not known
	network func() headway.Fault
	total   func() file.Total
	now     func() time.Time

	meter     headway.Meter
	providers map[string]string  // by domain
	refused   map[string]float64 // largest share at providers that slowed us down for it
}

// standing is how a run gets on.
type standing struct {
	total    file.Total
	fraction float64       // of the list that is done, from 0 to 1; 0: unknown
	rate     float64       // addresses a second, over the last ten seconds
	left     time.Duration // less than zero: unknown
	waiting  []headway.Waiting
}

// observe says how the run gets on.
func (w *paceWatch) observe(p bulk.Progress) standing {
	now, paces := w.now(), w.pacing()
	for _, g := range paces {
		if g.Slowed == pace.Harvesting || g.Paused == pace.Harvesting {
			w.refused[g.Provider] = max(w.refused[g.Provider], g.Refused)
		}
	}
	asked := p.Done - p.Recalled
	w.meter.Note(asked, now)
	s := standing{total: w.total(), left: -1}
	l := headway.List{
		Left: p.Read - p.Done, At: w.byProvider(p), Later: p.Waiting,
		First: now.Add(p.NextRetry), Last: now.Add(p.LastRetry),
		Rate: w.meter.Rate(asked, now), Network: w.network(), Paces: paces,
	}
	if s.total.Rows > 0 {
		s.fraction = float64(p.Done) / float64(s.total.Rows)
		l.Left = max(l.Left, s.total.Rows-p.Done)
	}
	s.rate, s.waiting = l.Rate.Now, l.Waiting(now)
	if read := p.Read - p.Done - p.Waiting; read > 0 { // the rest of the list is taken to be like what was read
		for name, n := range l.At {
			l.At[name] = n * (l.Left - p.Waiting) / read
		}
	}
	if left, known := l.TimeLeft(now); known && (s.total.Rows > 0 || p.Exhausted) {
		s.left = left
	}
	return s
}

// byProvider counts the addresses that were read and are to be asked, by their
// provider, as far as it is known.
func (w *paceWatch) byProvider(p bulk.Progress) map[string]int64 {
	all, known := maps.Clone(p.HeldBack), make(map[string]string, len(p.ByDomain))
	if all == nil {
		all = make(map[string]int64)
	}
	for domain, n := range p.ByDomain {
		name := cmp.Or(w.providers[domain], w.paced(domain))
		if name != "" {
			known[domain] = name
			all[name] += n
		}
	}
	w.providers = known
	return all
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
