package dashboard

import (
	"cmp"
	"context"
	"time"

	"github.com/rcpt/rcpt/store"
)

// Health is how the server is. Everything is optional: what is empty is not shown, or said to be not known.
type Health struct {
	Version   string
	Egresses  []Egress
	Breakers  []Breaker
	Blocks    []Block
	Resolvers []Resolver
	Cache     *Cache
	Queue     *Queue
}

// Egress is a way out to mail hosts.
type Egress struct {
	Name      string // "direct", an address or a proxy without its password
	HELO      string
	LastReply time.Time // of a mail host through it; zero: none yet
	Fault     string    // empty: none is known
}

// Breaker is a provider that is left alone for a while, or asked slowly.
type Breaker struct {
	Provider string
	Egress   string    // that it is about; empty: there is only one
	Until    time.Time // left alone until then; zero: asked slowly
	Reason   string
}

// Block is that a mail host refused the server and not a mailbox.
type Block struct {
	Provider string
	Egress   string
	Count    int64
	Last     time.Time
	Reply    string // without the address that was asked about
}

// Resolver is a DNS server.
type Resolver struct {
	Server     string
	LastAnswer time.Time // zero: none yet
	Fault      string    // empty: it answers
}

// Cache is what is remembered.
type Cache struct {
	Entries      int64 // in memory
	Asked, Found int64 // since the start
}

// Queue is how much there is to do.
type Queue struct {
	Running, Waiting int
	Shed             int64 // turned away since the start
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

// fault is something that needs somebody's eye.
type fault struct{ Where, What string }

// engineNames are those of the store as their makers write them.
var engineNames = map[string]string{"sqlite": "SQLite", "postgresql": "PostgreSQL"}

// pingPatience is how long the page waits for the database.
const pingPatience = 2 * time.Second

func (d *Dashboard) showHealth(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), pingPatience)
	defer cancel()
	engine := d.config.Store.Engine()
	view := healthView{Health: d.config.Health(ctx), Engine: cmp.Or(engineNames[engine], engine), Stats: d.config.Store.Stats(), Now: d.config.Now()}
	view.StoreUp = d.config.Store.Ping(ctx) == nil
	view.Faults = view.faults()
	return d.render(v, "health", page{Title: "Health", Nav: "/health", Body: view})
}

// pastTime is a time with how long before now it was.
type pastTime struct {
	Then time.Time
	Ago  string
}

// At is a time as the page shows it.
func (view healthView) At(then time.Time) pastTime { return pastTime{then, ago(view.Now, then)} }

// Wait is how long it is until then.
func (view healthView) Wait(then time.Time) string { return took(max(0, then.Sub(view.Now))) }

// Remembered tells how useful the memory is.
func (view healthView) Remembered() string {
	if view.Cache.Asked == 0 {
		return "nothing asked yet"
	}
	return percent(view.Cache.Found, view.Cache.Asked) + " of requests"
}

// faults are in the order of what they cost.
func (view *healthView) faults() (all []fault) {
	if !view.StoreUp {
		all = append(all, fault{"Store", "the database cannot be reached"})
	}
	for _, e := range view.Egresses {
		if e.Fault != "" {
			all = append(all, fault{"Way out " + e.Name, e.Fault})
		}
	}
	for _, r := range view.Resolvers {
		if r.Fault != "" {
			all = append(all, fault{"DNS resolver " + r.Server, r.Fault})
		}
	}
	for _, b := range view.Breakers {
		if !b.Until.IsZero() {
			all = append(all, fault{"Provider " + b.Provider, "left alone for " + view.Wait(b.Until) + ", in which its addresses are “unknown”"})
		}
	}
	return all
}
