package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
)

// Health is the state of the server. Everything is optional: empty fields are
// not shown, or shown as unknown.
type Health struct {
	Checks      []NetworkCheck // of the server's own network
	Examination *Examination
	Hour        *Hour
	Version     string
	Egresses    []Egress
	Preset      string // of the pace: "normal"; empty: mail hosts are not asked
	Pace        []Pace
	Blocks      []Block
	Resolvers   []Resolver
	Cache       *Cache
	Queue       *Queue
}

// ResolverCheck is the name of the check of the DNS.
const ResolverCheck = "DNS resolver"

// NetworkCheck is the outcome of a check of the server's own network.
type NetworkCheck struct {
	Name    string
	Tested  bool
	Fault   string    // empty: none
	Advice  string    // what to do about a fault
	Since   time.Time // when the outcome was first seen
	Checked time.Time // when it was last seen
}

// Hour counts the verifications of the last hour, without remembered results.
type Hour struct {
	Checked, Unknown int64
	Mostly           rcpt.Reason // of the unknown ones
}

// Egress is a proxy or source address for mail hosts.
type Egress struct {
	Name      string // "direct", an address or a proxy without its password
	HELO      string
	Sessions  int
	Leaving   bool      // it was removed, and its last sessions end
	LastReply time.Time // of a mail host through it; zero: none yet
	Fault     string    // empty: none is known
	Said      []Said    // what providers said to it, the last first
}

// Said is the last reply of a provider to an egress.
type Said struct {
	Provider string
	Reply    string // its codes
	Meaning  string // in words: "no such user", "blocked"
	At       time.Time
}

// Pace is how a provider is asked through an egress.
type Pace struct {
	Provider string
	Egress   string // empty: there is only one
	Waiting  int    // addresses that wait for a session with it
	Sessions int    // open
	Allowed  int    // at the moment; negative: there is no limit
	Slowed   bool
	Until    time.Time // paused until then; zero: it is not
	Reason   string    // why it is slowed or paused
	// Harvesting is set where the reason is that most mailboxes do not exist.
	Harvesting bool
}

// Load is what the provider is busy with, in words.
func (p Pace) Load() string {
	text := fmt.Sprintf("%d sessions", p.Sessions)
	if p.Sessions == 1 {
		text = "1 session"
	}
	if p.Allowed >= 0 {
		text = fmt.Sprintf("%d of %d sessions", p.Sessions, p.Allowed)
	}
	switch p.Waiting {
	case 0:
		return text
	case 1:
		return text + ", 1 address waits"
	}
	return text + ", " + groupedCount(int64(p.Waiting)) + " addresses wait"
}

// Block is a provider whose mail hosts refused this server, not a mailbox.
type Block struct {
	Provider string
	Egress   string
	Count    int64
	Last     time.Time
	Reply    string // without the address that was asked about
	Cause    string // why, if that is known
	Do       string // and what to do about it
}

// Resolver is a DNS server.
type Resolver struct {
	Server     string
	LastAnswer time.Time // zero: none yet
	Fault      string    // empty: it answers
}

// Cache describes the remembered results.
type Cache struct {
	Entries      int64 // in memory
	Asked, Found int64 // since the start
}

// Queue describes the verifications that run and wait.
type Queue struct {
	Running, Waiting int
	Shed             int64 // rejected since the start
}

// healthView is the page.
type healthView struct {
	Health
	Engine  string
	Stats   store.Stats
	StoreUp bool
	Now     time.Time
	Faults  []fault
}

// fault is a problem that needs attention.
type fault struct{ Where, What string }

// engineNames are those of the store as their makers write them.
var engineNames = map[string]string{"sqlite": "SQLite", "postgresql": "PostgreSQL"}

// pingTimeout is how long the page waits for the database.
const pingTimeout = 2 * time.Second

func (d *Dashboard) showHealth(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), pingTimeout)
	defer cancel()
	return d.render(v, "health", page{Title: "Health", Nav: "/health", Body: d.healthView(ctx)})
}

// healthView asks how the server is.
func (d *Dashboard) healthView(ctx context.Context) healthView {
	engine := d.config.Store.Engine()
	view := healthView{
		Health: d.config.Health(ctx), Engine: cmp.Or(engineNames[engine], engine),
		Stats: d.config.Store.Stats(), Now: d.config.Now(),
	}
	view.StoreUp = d.config.Store.Ping(ctx) == nil
	view.Faults = view.faults()
	return view
}

// pastTime is a time with how long before now it was.
type pastTime struct {
	Then time.Time
	Ago  string
}

// ResolversTold reports whether all that is known of the DNS servers is that
// none works, which the check of the network says already.
func (view healthView) ResolversTold() bool {
	fails := slices.ContainsFunc(view.Checks, func(c NetworkCheck) bool { return c.Name == ResolverCheck && c.Fault != "" })
	return fails && !slices.ContainsFunc(view.Resolvers, func(r Resolver) bool { return r.Fault == "" && !r.LastAnswer.IsZero() })
}

// At is a time as the page shows it.
func (view healthView) At(then time.Time) pastTime { return pastTime{then, ago(view.Now, then)} }

// For is the time from then until now.
func (view healthView) For(then time.Time) string { return took(max(0, view.Now.Sub(then))) }

// Wait is the time from now until then.
func (view healthView) Wait(then time.Time) string { return took(max(0, then.Sub(view.Now))) }

// Remembered is the share of requests that a remembered result answered.
func (view healthView) Remembered() string {
	if view.Cache.Asked == 0 {
		return "nothing asked yet"
	}
	return percent(view.Cache.Found, view.Cache.Asked) + " of requests since the start"
}

// Limits beyond which the share of unknown results is no coincidence, but a
// fault of the network, of the host's reputation or of a list.
const (
	manyChecked = 20
	manyUnknown = 0.5
)

// Share is how many of the last hour's results are unknown.
func (h Hour) Share() string {
	if h.Checked == 0 {
		return "nothing checked yet"
	}
	return "of " + groupedCount(h.Checked)
}

// Much reports whether too many are unknown.
func (h Hour) Much() bool {
	return h.Checked >= manyChecked && float64(h.Unknown) > manyUnknown*float64(h.Checked)
}

// Tested reports whether anything is known of the network: from a check, a mail
// host or a DNS server.
func (view healthView) Tested() bool {
	for _, c := range view.Checks {
		if c.Tested {
			return true
		}
	}
	for _, e := range view.Egresses {
		if !e.LastReply.IsZero() {
			return true
		}
	}
	for _, r := range view.Resolvers {
		if !r.LastAnswer.IsZero() {
			return true
		}
	}
	return false
}

// faults returns the faults, the most serious first.
func (view *healthView) faults() (all []fault) {
	for _, c := range view.Checks {
		if c.Fault != "" {
			all = append(all, fault{c.Name, c.Fault + ". " + c.Advice})
		}
	}
	if !view.StoreUp {
		all = append(all, fault{"Store", "the database cannot be reached"})
	}
	for _, e := range view.Egresses {
		if e.Fault != "" {
			all = append(all, fault{"Egress " + e.Name, e.Fault})
		}
	}
	for _, r := range view.Resolvers {
		if r.Fault != "" && !view.ResolversTold() {
			all = append(all, fault{"DNS resolver " + r.Server, r.Fault})
		}
	}
	all = append(all, view.Examination.faults()...)
	if h := view.Hour; h != nil && h.Much() {
		what := fmt.Sprintf("%s of the addresses checked in the last hour are “unknown”, most often for the reason “%s”", percent(h.Unknown, h.Checked), reasonTexts[h.Mostly].Name)
		all = append(all, fault{"Results", what})
	}
	for _, p := range view.Pace {
		switch {
		case p.Harvesting:
			all = append(all, fault{
				"Provider " + p.Provider,
				p.Reason + ", which looks like address harvesting: find out which list or key they come from",
			})
		case !p.Until.IsZero():
			all = append(all, fault{
				"Provider " + p.Provider,
				"paused for " + view.Wait(p.Until) + "; its addresses are “unknown” until then",
			})
		}
	}
	return all
}
