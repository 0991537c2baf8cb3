package dashboard

import (
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
	Name  string // "direct", an address or a proxy without its password
	HELO  string
	Fault string // empty: it works
}

// Breaker is a provider that is left alone for a while, or asked carefully.
type Breaker struct {
	Provider string
	State    string // "closed", "half-open" or "open"
	Until    time.Time
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
	Entries  int64
	HitRatio float64 // of 1
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
	Rows    []resolverRow
	Now     time.Time
	Faults  int
}

// resolverRow is a resolver with the time in words.
type resolverRow struct {
	Resolver
	Seen string
}

// pingPatience is how long the page waits for the database.
const pingPatience = 2 * time.Second

func (d *Dashboard) showHealth(v *visit) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), pingPatience)
	defer cancel()
	view := healthView{Health: d.config.Health(ctx), Engine: d.config.Store.Engine(), Stats: d.config.Store.Stats(), Now: d.config.Now()}
	view.StoreUp = d.config.Store.Ping(ctx) == nil
	for _, r := range view.Resolvers {
		row := resolverRow{Resolver: r, Seen: "None yet"}
		if !r.LastAnswer.IsZero() {
			row.Seen = ago(view.Now, r.LastAnswer)
		}
		view.Rows = append(view.Rows, row)
	}
	view.Faults = view.faults()
	return d.render(v, "health", page{Title: "Health", Nav: "/health", Body: view})
}

// faults is how many things need somebody's eye.
func (view *healthView) faults() (n int) {
	if !view.StoreUp {
		n++
	}
	for _, e := range view.Egresses {
		if e.Fault != "" {
			n++
		}
	}
	for _, r := range view.Resolvers {
		if r.Fault != "" {
			n++
		}
	}
	for _, b := range view.Breakers {
		if b.State == "open" {
			n++
		}
	}
	return n
}
