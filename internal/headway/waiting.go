package headway

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// What addresses wait for, besides providers, which have domains or networks as
// names, or one word of the table.
const (
	ForNetwork = "network" // our own does not work
	ForLater   = "later"   // their answers were temporary
)

// Reasons of a [Waiting], besides those of [pace.Trouble].
const (
	AtItsLimit = "limit"     // the provider is asked as much as its limits allow
	Temporary  = "temporary" // the addresses had a temporary answer
)

// Waiting is what some addresses of a list wait for.
type Waiting struct {
	For       string    `json:"for"` // a provider, by its pacing name, or [ForNetwork] or [ForLater]
	Addresses int64     `json:"addresses"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
	Until     time.Time `json:"until,omitzero"` // the first of them are asked then; zero: not known
}

// List is what is known of a list that is being verified.
type List struct {
	Left int64 // addresses without a result
	// At says how many of them are to be asked at a provider, by its pacing
	// name, as far as that is known.
	At map[string]int64
	// Later is how many of Left had a temporary answer and are asked again,
	// between First and Last; LaterAt says at which provider, as far as that is
	// known. Those at one that is paused wait for it.
	Later       int64
	LaterAt     map[string]int64
	First, Last time.Time
	Rate        Rate
	Network     Fault // of our own network
	Paces       []smtpprobe.ProviderPace
}

// held is a provider that is asked less than there is to ask.
type held struct {
	name   string
	n      int64
	later  int64 // of them: after a temporary answer
	reason string
	until  time.Time // it is not asked before; zero: it is asked
	paces  []smtpprobe.ProviderPace
}

// held returns the providers that hold addresses of the list up, the one with
// most of them first. One that has several egresses does so if all are held up.
func (l List) held(now time.Time) (all []held) {
	by := map[string][]smtpprobe.ProviderPace{}
	for _, p := range l.Paces {
		by[p.Provider] = append(by[p.Provider], p)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		h := held{name: name, n: l.At[name], paces: by[name]}
		for i, p := range h.paces {
			reason, until := trouble(p, now)
			if i == 0 || until.Before(h.until) {
				h.until = until
			}
			if h.reason = reason; reason == "" {
				break
			}
		}
		if !h.until.IsZero() {
			h.later = l.LaterAt[name]
		}
		if h.n += h.later; h.reason != "" && h.n > 0 {
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b held) int { return cmp.Compare(b.n, a.n) })
	return all
}

// trouble is why a provider is asked less than there is to ask, and until when
// not at all; empty: it is not.
func trouble(p smtpprobe.ProviderPace, now time.Time) (reason string, until time.Time) {
	switch {
	case p.Paused != "":
		return string(p.Paused), p.PausedUntil
	case p.Slowed == pace.BudgetSpent:
		return string(p.Slowed), p.Next
	case p.Slowed != "":
		return string(p.Slowed), time.Time{}
	case atItsLimit(p, now):
		return AtItsLimit, time.Time{}
	}
	return "", time.Time{}
}

// atItsLimit reports whether a provider has had nearly all that it may in a
// minute, and addresses wait.
func atItsLimit(p smtpprobe.ProviderPace, now time.Time) bool {
	nearly := func(used, limit int) bool { return limit > 0 && 10*used >= 9*pace.ForLists(limit) }
	return p.Waiting > 0 && (p.Next.Sub(now) > time.Second ||
		nearly(p.Opened, p.Limits.SessionsPerMinute) || nearly(p.LastMinute, p.Limits.RecipientsPerMinute))
}

// whys are the reasons in words.
var whys = map[string]string{
	string(pace.Harvesting):  "slowed down because most of its mailboxes do not exist",
	string(pace.RateLimited): "slowed down because it found this server too fast",
	string(pace.Blocked):     "paused because it refused this server",
	string(pace.BudgetSpent): "paused because it has heard as many recipients as it may in a day",
	AtItsLimit:               "asked as much as its limits allow",
}

// Why says in words why a provider is asked less than there is to ask.
func Why(reason string) string { return whys[reason] }

// Waiting says what addresses wait for: our own network, then providers, those
// with most first, then a later try.
func (l List) Waiting(now time.Time) (all []Waiting) {
	if l.Network != "" && l.Left > 0 {
		all = append(all, Waiting{
			For: ForNetwork, Addresses: l.Left, Reason: string(l.Network), Message: l.Network.Sentence(),
		})
	}
	later := l.Later
	for _, h := range l.held(now) {
		later -= h.later
		all = append(all, Waiting{
			For: h.name, Addresses: h.n, Reason: h.reason, Until: h.until,
			Message: number(h.n, "waits", "wait") + " for " + h.name + ": " + whys[h.reason],
		})
	}
	if later > 0 {
		all = append(all, Waiting{
			For: ForLater, Addresses: later, Reason: Temporary, Until: l.First,
			Message: number(later, "is", "are") + " asked again later, after a temporary answer",
		})
	}
	return all
}

func number(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(n) + " " + more
}
