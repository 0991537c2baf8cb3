//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// pair is two servers on one database.
type pair struct {
	t        *testing.T
	database string
	commands keysOf
	nodes    [2]*node
}

func startPair(t *testing.T, database string) *pair {
	t.Helper()
	environment := append(startWorld(t), "RCPT_DATABASE="+database)
	p := &pair{t: t, database: database, commands: keysOf{environment}}
	for i := range p.nodes {
		p.nodes[i] = startNode(t, environment)
	}
	return p
}

// both reports whether the condition holds for both servers.
func (p *pair) both(condition func(*node) bool) bool {
	return condition(p.nodes[0]) && condition(p.nodes[1])
}

// create creates a key, waits until both servers accept it, and returns how
// long that took.
func (p *pair) create(args ...string) (madeKey, time.Duration) {
	p.t.Helper()
	made := p.commands.mustCreate(p.t, args...)
	return made, p.until("a key is taken up", func(n *node) bool { return n.accepts(made.Key) })
}

// revoke revokes a key and returns how long any of the servers still accepted
// it.
func (p *pair) revoke(key madeKey) time.Duration {
	p.t.Helper()
	check(p.t, p.commands.revoke(p.t.Context(), key.ID))
	return p.until("a revocation is taken up", func(n *node) bool { return !n.accepts(key.Key) })
}

// until waits until the condition holds for both servers.
func (p *pair) until(what string, condition func(*node) bool) time.Duration {
	p.t.Helper()
	began := time.Now()
	testkit.Eventually(p.t, what, func() bool { return p.both(condition) })
	return time.Since(began)
}

// accepts reports whether a key is accepted, with a request that is not
// counted: the address is missing.
func (n *node) accepts(key string) bool {
	n.t.Helper()
	a, err := n.get(n.t.Context(), "/api/v1/verify", key)
	check(n.t, err)
	return a.status == http.StatusBadRequest
}

func (p *pair) openStore() *store.Store {
	p.t.Helper()
	s, err := store.Open(p.t.Context(), store.Options{DatabaseURL: p.database})
	check(p.t, err)
	p.t.Cleanup(func() { s.Close() })
	return s
}

// outage is a set of clients of both servers while the database is down.
type outage struct {
	*pair
	limited, free madeKey
	ask           struct{ limited, free asker }
	refused       atomic.Int64
}

// TestDatabaseIsRestarted stops the database of two servers under load:
// requests that need it get 503, others are answered, nothing acknowledged is
// lost, and both servers recover by themselves.
func TestDatabaseIsRestarted(t *testing.T) {
	takesLong(t)
	t.Parallel()
	cluster := storetest.Start(t)
	o := &outage{pair: startPair(t, cluster.Database(t))}
	o.limited, _ = o.create("--quota", "100000")
	o.free, _ = o.create()
	revoked, _ := o.create()
	o.revoke(revoked)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients sync.WaitGroup
	for _, n := range o.nodes {
		clients.Go(func() { o.ask.limited.ask(ctx, n, o.limited.Key, o.address, o.unavailable) })
		clients.Go(func() { o.ask.free.ask(ctx, n, o.free.Key, o.address, o.unexpected) })
	}
	o.progress("before")

	cluster.Halt()
	testkit.Eventually(t, "keys with a quota are refused", func() bool { return o.refused.Load() > 10 })
	testkit.Eventually(t, "the servers say that they are not ready", func() bool { return o.both(func(n *node) bool { return n.ready() == 503 }) })
	was := o.ask.free.answered.Load()
	testkit.Eventually(t, "keys without a quota are served", func() bool { return o.ask.free.answered.Load() > was+100 })
	if !o.both(func(n *node) bool { return !n.accepts(revoked.Key) }) {
		t.Error("a revoked key is good again while the database is away")
	}
	if _, err := o.commands.create(t.Context()); err == nil {
		t.Error("a key is acknowledged while the database is away")
	}
	check(t, cluster.Resume())

	testkit.Eventually(t, "the servers are ready again", func() bool { return o.both(func(n *node) bool { return n.ready() == 200 }) })
	o.progress("after")
	after, _ := o.create()
	o.revoke(after)
	cancel()
	clients.Wait()
	for _, n := range o.nodes {
		if code := n.stop(); code != exitDone {
			t.Errorf("exit code %d, log:\n%s", code, n.log.String())
		}
	}
	o.accounts()
}

func (n *node) ready() int {
	a, err := n.get(n.t.Context(), "/readyz", "")
	check(n.t, err)
	return a.status
}

func (o *outage) address(i int) string {
	if i%50 == 0 {
		return fmt.Sprintf("box%d@box.example", i)
	}
	return "alice@acme.example"
}

func (o *outage) unavailable(a reply) bool {
	if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		o.t.Errorf("a client gets %d %v %s", a.status, a.header, a.body)
		return false
	}
	o.refused.Add(1)
	return true
}

func (o *outage) unexpected(a reply) bool {
	o.t.Errorf("a client without a quota gets %d %s", a.status, a.body)
	return false
}

// progress waits until clients with and without a quota are answered.
func (o *outage) progress(when string) {
	o.t.Helper()
	limited, free := o.ask.limited.answered.Load(), o.ask.free.answered.Load()
	testkit.Eventually(o.t, when+" the outage clients are answered", func() bool {
		return o.ask.limited.answered.Load() > limited+100 && o.ask.free.answered.Load() > free+100
	})
}

// accounts compares the responses with the stored usage at the end. A client
// that was stopped may have missed its last response.
func (o *outage) accounts() {
	o.t.Helper()
	s := o.openStore()
	for _, of := range []struct {
		key   madeKey
		asked *asker
	}{{o.limited, &o.ask.limited}, {o.free, &o.ask.free}} {
		answered := of.asked.answered.Load()
		counted := usesOf(o.t, s, of.key.ID)
		if missed := int64(len(o.nodes)); counted < answered || counted > answered+missed {
			o.t.Errorf("%d uses are stored, %d were answered", counted, answered)
		}
	}
	used, err := s.QuotaUsed(o.t.Context(), o.limited.ID, time.Now())
	check(o.t, err)
	if answered := o.ask.limited.answered.Load(); used < answered || used > answered+2000 {
		o.t.Errorf("%d units are used, %d requests were answered", used, answered)
	}
	o.t.Logf("with a quota %d answers and %d times 503, units used %d; without %d answers", o.ask.limited.answered.Load(), o.refused.Load(), used,
		o.ask.free.answered.Load())
}

func TestMigrate(t *testing.T) {
	cluster := storetest.Start(t)
	s, folder := stateWithKey(t)
	std, printed := streams(t)
	command := migrateCommand{DataFlag: folder, To: cluster.Database(t)}
	if err := command.Run(t.Context(), std, &settings.LogFlags{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("while a server uses the folder: %v", err)
	}
	check(t, s.Close())
	check(t, command.Run(t.Context(), std, &settings.LogFlags{}))
	if !strings.Contains(printed(), "api_keys      1\n") {
		t.Error(printed())
	}
	wantKey(t, store.Options{DatabaseURL: command.To})
	if err := command.Run(t.Context(), std, &settings.LogFlags{}); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second time: %v", err)
	}
}
