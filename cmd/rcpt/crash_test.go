//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// acknowledgedKeys are keys that were created and revoked by commands that
// succeeded, while servers start and stop.
type acknowledgedKeys struct {
	mu      sync.Mutex
	alive   map[string]string // texts by ID; not those that a command is about to revoke
	revoked []string          // texts
}

// churn creates keys and revokes every other one until ctx ends. A command that
// fails acknowledges nothing.
func (a *acknowledgedKeys) churn(ctx context.Context, t *testing.T, keys keysOf) {
	for i := 0; ctx.Err() == nil; i++ {
		made, err := keys.create(ctx, "--name", fmt.Sprint("key ", i))
		if err != nil {
			complain(ctx, t, err)
			continue
		}
		a.mu.Lock()
		a.alive[made.ID] = made.Key
		a.mu.Unlock()
		if i%2 == 0 {
			continue
		}
		a.mu.Lock()
		delete(a.alive, made.ID)
		a.mu.Unlock()
		if err := keys.revoke(ctx, made.ID); err != nil {
			complain(ctx, t, err)
			continue
		}
		a.mu.Lock()
		a.revoked = append(a.revoked, made.Key)
		a.mu.Unlock()
	}
}

func complain(ctx context.Context, t *testing.T, err error) {
	if ctx.Err() == nil {
		t.Error(err)
	}
}

// look returns the keys acknowledged up to now.
func (a *acknowledgedKeys) look() (alive, revoked []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, text := range a.alive {
		alive = append(alive, text)
	}
	return alive, slices.Clone(a.revoked)
}

// crash is an installation that is killed several times.
type crash struct {
	t           *testing.T
	environment []string
	folder      string
	keys        acknowledgedKeys
	large       madeKey // has a quota that is not used up
	small       madeKey // has one that is
	plain       madeKey
	askers      struct{ large, small asker }

	kills   int
	mayLack int64 // uses that need not be stored: those shortly before each kill
	starts  []time.Duration
	settled []string // addresses whose verdict was known some time before the kill
}

const (
	askersOfLarge = 3
	largeQuota    = 100_000
	smallQuota    = 150
)

// TestKilledUnderLoad kills a server with signal 9 while clients send requests
// and keys are created and revoked, and checks each time that everything
// acknowledged is there.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	c := &crash{t: t, environment: startWorld(t), folder: t.TempDir()}
	c.environment = append(c.environment, "RCPT_DATA="+c.folder)
	c.keys.alive = map[string]string{}
	commands := keysOf{c.environment}
	c.large = commands.mustCreate(t, "--quota", fmt.Sprint(largeQuota))
	c.small = commands.mustCreate(t, "--quota", fmt.Sprint(smallQuota))
	c.plain = commands.mustCreate(t)

	ctx, cancel := context.WithCancel(t.Context())
	var churn sync.WaitGroup
	churn.Go(func() { c.keys.churn(ctx, t, commands) })
	defer churn.Wait()
	defer cancel()
	for round := range rounds {
		c.round(round)
	}
	cancel()
	churn.Wait()
	c.last()
}

// round runs one server until it is killed. It may lack what it was about to
// store: that of its last second, or of longer on a machine so busy that a
// start takes its time.
func (c *crash) round(round int) {
	alive, revoked := c.keys.look()
	n := startNode(c.t, c.environment)
	c.starts = append(c.starts, n.took)
	c.honours(n, alive, revoked)
	for _, address := range c.settled {
		if a := n.mustVerify(c.plain.Key, address); a.status != http.StatusOK || !a.remembered() {
			c.t.Errorf("round %d: what was known of %s is lost: %d %s", round, address, a.status, a.body)
		}
	}
	fresh := c.freshAddresses(n, round)
	began := time.Now()

	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	var clients sync.WaitGroup
	for range askersOfLarge {
		clients.Go(func() { c.askers.large.ask(ctx, n, c.large.Key, c.address, c.unexpected) })
	}
	clients.Go(func() { c.askers.small.ask(ctx, n, c.small.Key, c.address, c.usedUp) })
	goal := c.askers.large.answered.Load() + int64(50+round%5*150)
	grace, lasts := max(time.Second, 2*n.took), time.Duration(0)
	if round%4 == 3 {
		lasts = grace + 200*time.Millisecond // so that not all of it was in that time
	}
	testkit.Eventually(c.t, "clients are answered", func() bool {
		return c.askers.large.answered.Load() >= goal && time.Since(began) >= lasts
	})
	n.kill()
	killed := time.Now()
	cancel()
	clients.Wait()
	c.kills++
	c.mayLack += c.askers.large.since(killed.Add(-grace))
	if c.settled = nil; killed.Sub(began) > grace {
		c.settled = fresh
	}
	storetest.Sound(c.t, filepath.Join(c.folder, "rcpt.db"))
	c.accounts()
}

// honours checks a sample of the keys that were acknowledged before the server
// started.
func (c *crash) honours(n *node, alive, revoked []string) {
	c.t.Helper()
	const most = 5
	for _, key := range alive[max(0, len(alive)-most):] {
		if a := n.mustVerify(key, "alice@acme.example"); a.status != http.StatusOK {
			c.t.Errorf("an acknowledged key is lost: %d %s", a.status, a.body)
		}
	}
	for _, key := range revoked[max(0, len(revoked)-most):] {
		a := n.mustVerify(key, "alice@acme.example")
		if a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests { // the latter where many wrong keys come from one place
			c.t.Errorf("an acknowledged revocation is lost: %d %s", a.status, a.body)
		}
	}
}

// freshAddresses requests addresses that were not requested before, one of them
// greylisted.
func (c *crash) freshAddresses(n *node, round int) (settled []string) {
	for _, name := range []string{"box", "ghost"} {
		address := fmt.Sprintf("%s-of-round%d@box.example", name, round)
		if a := n.mustVerify(c.plain.Key, address); a.status != http.StatusOK || a.verdict() == "unknown" {
			c.t.Errorf("%s: %d %s", address, a.status, a.body)
		}
		settled = append(settled, address)
	}
	if a := n.mustVerify(c.plain.Key, c.greylisted(round)); !strings.Contains(a.body, `"reason":"greylisted"`) {
		c.t.Errorf("greylisted: %d %s", a.status, a.body)
	}
	return settled
}

func (c *crash) greylisted(round int) string { return fmt.Sprintf("grey%d@box.example", round) }

// address returns an address that is cached, except for every tenth.
func (c *crash) address(i int) string {
	if i%10 == 0 {
		return fmt.Sprintf("box%d.%d@box.example", c.kills, i)
	}
	return "alice@acme.example"
}

func (c *crash) unexpected(a reply) bool {
	if a.busy() {
		return true
	}
	c.t.Errorf("a client gets %d %s", a.status, a.body)
	return false
}

// usedUp ends a client whose quota is used up.
func (c *crash) usedUp(a reply) bool {
	if a.busy() {
		return true
	}
	if a.status != http.StatusPaymentRequired {
		c.t.Errorf("a client gets %d %s", a.status, a.body)
	}
	return false
}

// accounts compares the responses to clients with the stored usage.
func (c *crash) accounts() {
	c.t.Helper()
	s, err := store.Open(c.t.Context(), store.Options{DataDir: c.folder, Beside: true})
	check(c.t, err)
	defer s.Close()
	for _, of := range []struct {
		key      madeKey
		quota    int64
		answered int64
	}{{c.large, largeQuota, c.askers.large.answered.Load()}, {c.small, smallQuota, c.askers.small.answered.Load()}} {
		used, err := s.QuotaUsed(c.t.Context(), of.key.ID, time.Now())
		check(c.t, err)
		if used < of.answered || used > of.quota {
			c.t.Errorf("%d units of a quota of %d are used, %d requests were answered", used, of.quota, of.answered)
		}
	}
	counted := usesOf(c.t, s, c.large.ID)
	answered := c.askers.large.answered.Load()
	if most := answered + int64(askersOfLarge*c.kills); counted < answered-c.mayLack || counted > most {
		c.t.Errorf("%d uses are stored; %d were answered, %d of them shortly before a kill", counted, answered, c.mayLack)
	}
}

// usesOf counts the stored uses of a key.
func usesOf(t *testing.T, s *store.Store, key string) (count int64) {
	t.Helper()
	rows, err := s.Usage(t.Context(), store.UsageQuery{Key: key})
	check(t, err)
	for _, row := range rows {
		count += row.Count
	}
	return count
}

// last checks everything again with a server that is not killed.
func (c *crash) last() {
	alive, revoked := c.keys.look()
	n := startNode(c.t, c.environment)
	for len(alive) > 0 || len(revoked) > 0 {
		a, r := min(len(alive), 5), min(len(revoked), 5)
		c.honours(n, alive[:a], revoked[:r])
		alive, revoked = alive[a:], revoked[r:]
	}
	address := c.greylisted(c.kills - 1)
	testkit.Eventually(c.t, "the greylisted address is asked about again", func() bool {
		a := n.mustVerify(c.plain.Key, address)
		return a.verdict() == "deliverable" && a.remembered()
	})
	if code := n.stop(); code != exitDone {
		c.t.Errorf("exit code %d, log:\n%s", code, n.log.String())
	}
	c.accounts()
	slices.Sort(c.starts)
	alive, revoked = c.keys.look()
	c.t.Logf("%d kills; %d keys, %d of them revoked; %d answers with a quota, %d with a small one of %d; starts took %v, the slowest %v",
		c.kills, len(alive)+len(revoked), len(revoked), c.askers.large.answered.Load(), c.askers.small.answered.Load(), smallQuota,
		c.starts[len(c.starts)/2].Round(time.Millisecond), c.starts[len(c.starts)-1].Round(time.Millisecond))
	if plain := c.plainStart(); c.starts[0] > plain+time.Second { // the others may have waited for what else the machine does
		c.t.Errorf("every start took more than a second beyond the %v of one without a state: %v", plain, c.starts)
	}
}

// plainStart is how long a command takes on this machine that reads lists and
// rules as a server does, and has no state.
func (c *crash) plainStart() (slowest time.Duration) {
	c.t.Helper()
	for range 3 {
		began := time.Now()
		p := start(c.t, c.environment, "verify", "--level", "syntax", "alice@acme.example")
		p.await(p.stdout, "alice@acme.example")
		slowest = max(slowest, time.Since(began))
		p.wait()
	}
	return slowest
}
