//go:build unix

package jobs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
)

// dice are random numbers for many goroutines.
type dice struct {
	mu sync.Mutex
	*rand.Rand
}

func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.IntN(n)
}

// upTo is a random duration.
func (d *dice) upTo(most time.Duration) time.Duration { return time.Duration(d.below(int(most))) }

// weather is what a store does besides its work.
type weather int

const (
	calm    weather = iota
	slow            // calls take longer, before and after the commit, whatever their context says
	failing         // some calls fail, before or after the commit
	gone            // all fail
)

// rough is a store with weather.
type rough struct {
	*store.Store
	dice *dice

	mu      sync.Mutex
	weather weather
	unheard bool // it does not hear that nodes are alive
}

func (s *rough) set(w weather) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.weather = w
}

func (s *rough) now() weather {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.weather
}

var errWeather = fmt.Errorf("%w: it is the weather", rows.ErrUnavailable)

func through[T any](s *rough, call func() (T, error)) (T, error) {
	var none T
	w := s.now()
	if w == slow {
		time.Sleep(s.dice.upTo(200 * time.Millisecond))
	}
	if w == gone || w == failing && s.dice.below(5) == 0 {
		return none, errWeather
	}
	value, err := call()
	if w == slow {
		time.Sleep(s.dice.upTo(200 * time.Millisecond))
	}
	if err == nil && w == failing && s.dice.below(8) == 0 {
		return none, errWeather
	}
	return value, err
}

func (s *rough) LeaseBatches(ctx context.Context, q rows.BatchQuery) ([]rows.Batch, error) {
	return through(s, func() ([]rows.Batch, error) { return s.Store.LeaseBatches(ctx, q) })
}

func (s *rough) SettleBatches(ctx context.Context, node string, all []rows.Settlement) ([]bool, error) {
	return through(s, func() ([]bool, error) { return s.Store.SettleBatches(ctx, node, all) })
}

func (s *rough) JobStates(ctx context.Context, ids []string) ([]rows.Job, error) {
	return through(s, func() ([]rows.Job, error) { return s.Store.JobStates(ctx, ids) })
}

func (s *rough) NextBatch(ctx context.Context, job, egress string) (time.Time, error) {
	return through(s, func() (time.Time, error) { return s.Store.NextBatch(ctx, job, egress) })
}

func (s *rough) FreeBatches(ctx context.Context, node, job string, held map[int64]int64) error {
	_, err := through(s, func() (bool, error) { return true, s.Store.FreeBatches(ctx, node, job, held) })
	return err
}

func (s *rough) JoinJobs(ctx context.Context, node, egress string, until time.Time) error {
	s.mu.Lock()
	unheard := s.unheard
	s.mu.Unlock()
	if unheard {
		return errWeather
	}
	_, err := through(s, func() (bool, error) { return true, s.Store.JoinJobs(ctx, node, egress, until) })
	return err
}

// storm is a few lists and nodes, and what is done to them.
type storm struct {
	t     *testing.T
	dice  *dice
	store *rough
	hosts *hosts
	nodes []*node
	lists []stormList
	log   strings.Builder
}

type stormList struct {
	id        string
	addresses int
	columns   int  // with addresses, of each row
	gone      bool // cancelled or deleted
}

// within fails the test if something takes longer than it may, by the clock of
// the bubble: a node that stands still does so for ever.
func (s *storm) within(limit time.Duration, what string, do func()) {
	s.t.Helper()
	began := time.Now()
	fmt.Fprintf(&s.log, "%v %s\n", began.Format("05.000"), what)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		s.t.Fatalf("%s does not end\n%s", what, s.log.String())
	}
	if took := time.Since(began); took > limit {
		s.t.Errorf("%s took %v, may take %v\n%s", what, took, limit, s.log.String())
	}
}

func (s *storm) addNode() {
	config := Config{
		Store: s.store, Verifier: s.hosts, Window: 600, Concurrency: 100, Lease: 5 * time.Second,
		Egress: []string{"", fmt.Sprint("egress", s.dice.below(2))}[s.dice.below(2)],
	}
	s.clear() // a node does not start without its database
	s.nodes = append(s.nodes, newNode(s.t, s.store.Store, config))
}

// clear ends what disturbs the store.
func (s *storm) clear() {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.weather, s.store.unheard = calm, false
}

// answer takes some time, may be temporary, and does not always end with its
// context.
func (s *storm) answer(ctx context.Context, email string, times int) rcpt.Result {
	wait := s.dice.upTo(300 * time.Millisecond)
	if s.dice.below(200) == 0 {
		wait = s.dice.upTo(4 * time.Second)
		time.Sleep(wait)
		wait = 0
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	if times == 1 && strings.HasPrefix(email, "box7") {
		return greylisted(email)
	}
	r := fine(email)
	r.Message = "Fine: " + email
	return r
}

const (
	// mayTake is how long a change of a list may take: a run ends in 5 seconds
	// at most, and slow calls of the store come before and after.
	mayTake = schedule.StopWithin + 3*time.Second
	// mayStop is for a node.
	mayStop = 8 * time.Second
)

// step does something at random.
func (s *storm) step() {
	n := s.nodes[s.dice.below(len(s.nodes))]
	l := &s.lists[s.dice.below(len(s.lists))]
	ctx := s.t.Context()
	change := func(what Change) {
		s.within(mayTake, string(what)+" "+l.id, func() { _, _ = n.Change(ctx, rows.ByCommand("test"), l.id, nil, what) })
	}
	switch what := s.dice.below(40); {
	case what < 14:
		change(Pause)
	case what < 26:
		change(Resume)
	case what == 26:
		change(Cancel)
		l.gone = true
	case what == 27:
		s.within(mayTake, "delete "+l.id, func() { _ = n.Delete(ctx, store.ByCommand("test"), l.id, nil) })
		l.gone = true
	case what < 32:
		s.store.set(weather(s.dice.below(4)))
	case what < 34:
		s.store.mu.Lock()
		s.store.unheard = !s.store.unheard
		s.store.mu.Unlock()
	case what < 37:
		s.within(mayStop, "stop", n.stop)
		for i := range s.nodes {
			if s.nodes[i] == n {
				s.nodes = append(s.nodes[:i], s.nodes[i+1:]...)
				break
			}
		}
		s.addNode()
	default:
		s.store.set(calm)
	}
	time.Sleep(s.dice.upTo(time.Second))
	s.checkWindows()
}

// checkWindows: no node has more of a list than its window.
func (s *storm) checkWindows() {
	for _, n := range s.nodes {
		n.mu.Lock()
		for id, has := range n.held() {
			if has > n.config.Window {
				s.t.Errorf("a node has %d addresses of list %s, its window is %d", has, id, n.config.Window)
			}
		}
		n.mu.Unlock()
	}
}

// held is how many addresses without an outcome a node has of each list.
func (n *node) held() map[string]int {
	has := make(map[string]int)
	for _, r := range n.runs {
		for _, o := range r.open {
			for _, done := range o.done {
				if !done {
					has[r.job.ID]++
				}
			}
		}
	}
	return has
}

// calmDown ends all that disturbs: lists that were not ended must come to their
// end, with each row once and right.
func (s *storm) calmDown() {
	s.clear()
	n := s.nodes[0]
	for _, l := range s.lists {
		if l.gone {
			continue
		}
		_, err := n.Change(s.t.Context(), store.ByCommand("test"), l.id, nil, Resume)
		if j := n.job(l.id); err != nil && j.State != rows.JobDone {
			s.t.Fatalf("%s: %v", j.State, err)
		}
		s.within(10*time.Minute, "to the end "+l.id, func() {
			for n.job(l.id).State != rows.JobDone {
				time.Sleep(time.Second)
			}
		})
		s.check(n, l)
	}
	for _, n := range s.nodes {
		s.within(mayStop, "last stop", n.stop)
	}
}

func (s *storm) check(n *node, l stormList) {
	s.t.Helper()
	j := n.job(l.id)
	if j.Done != int64(l.addresses) || j.Results["deliverable"] != j.Done {
		s.t.Errorf("%d of %d are done, %v", j.Done, l.addresses, j.Results)
	}
	lines := strings.Split(strings.TrimSpace(n.output(l.id, Output{})), "\n")
	if len(lines) != l.addresses/l.columns+1 {
		s.t.Fatalf("%d rows of %d", len(lines)-1, l.addresses/l.columns)
	}
	for i, line := range lines[1:] {
		for column, email := range strings.Split(line, ",")[:l.columns] {
			box := fmt.Sprintf("box%d@", i*l.columns+column)
			if !strings.HasPrefix(email, box) || !strings.Contains(line, "Fine: "+email) {
				s.t.Fatalf("row %d is %s", i, line)
			}
		}
	}
}

// newStorm makes lists and nodes on a store. SQLite has one process.
func newStorm(t *testing.T, st *store.Store, seed uint64) *storm {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 0))}
	s := &storm{t: t, dice: d, store: &rough{Store: st, dice: d}}
	s.hosts = &hosts{answer: s.answer}
	s.addNode()
	if st.Engine() == "postgresql" {
		s.addNode()
	}
	for range 1 + d.below(3) {
		columns := 1 + d.below(2)
		count := columns * (20 + d.below(1500/columns))
		domains := 1 + d.below(30)
		list := manyAddresses(count, func(i int) string { return fmt.Sprintf("d%d.example", i%domains) })
		var f Format
		if columns == 2 {
			list, f.Columns = pairs(list), []string{"a", "b"}
		}
		j := s.nodes[0].create(list, Request{Format: f})
		s.lists = append(s.lists, stormList{id: j.ID, addresses: count, columns: columns})
	}
	return s
}

// pairs is a list with two addresses in each row.
func pairs(list string) string {
	out := "a,b\n"
	for i, line := range strings.Split(strings.TrimSpace(list), "\n") {
		out += line + []string{",", "\n"}[i%2]
	}
	return out
}

// TestStorm pauses, resumes, cancels and deletes lists at random, stops nodes,
// has their leases run out, and makes the transactions of the store slow or
// fail: no list stands still, no request waits for ever, a node ends in time,
// and each row is there once in the end. TEST_STORM is how many seeds are tried
// on each engine.
func TestStorm(t *testing.T) {
	seeds := 10
	if n, err := strconv.Atoi(os.Getenv("TEST_STORM")); err == nil {
		seeds = n
	}
	engines := map[string]func(t *testing.T) store.Options{
		"sqlite": func(t *testing.T) store.Options { return store.Options{DataDir: t.TempDir()} },
	}
	if cluster, err := storetest.New(); err != nil {
		t.Fatal(err)
	} else if cluster != nil {
		t.Cleanup(cluster.Close)
		engines["postgresql"] = func(t *testing.T) store.Options {
			return store.Options{DatabaseURL: cluster.Database(t)}
		}
	}
	const together = 20 // seeds on a database
	for name, database := range engines {
		for first := 0; first < seeds; first += together {
			t.Run(fmt.Sprintf("%s-%d", name, first), func(t *testing.T) {
				o := database(t)
				synctest.Test(t, func(t *testing.T) {
					st := openStore(t, o)
					for seed := first; seed < min(first+together, seeds) && !t.Failed(); seed++ {
						s := newStorm(t, st, uint64(seed))
						for range 10 + s.dice.below(30) {
							s.step()
						}
						s.calmDown()
					}
				})
			})
		}
	}
}
