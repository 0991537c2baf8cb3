package schedule_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestImports: a State is a value. What it decides depends on nothing but what
// it is told.
func TestImports(t *testing.T) { testkit.Pure(t, "cmp", "errors", "fmt", "maps", "slices", "time") }

// TestWorlds lets worlds live: of TEST_WORLDS seeds, from TEST_SEED on. After
// each event what is promised holds. "make simulate" has new ones.
func TestWorlds(t *testing.T) {
	few := 150
	if !testing.Short() {
		few = 1000
	}
	worlds, first := number(t, "TEST_WORLDS", few), number(t, "TEST_SEED", 0)
	began, events := time.Now(), 0
	for i := range worlds {
		w := newWorld(uint64(first + i))
		s := live(w, false)
		if err := s.toTheEnd(); err != nil {
			report(t, w, err)
			return
		}
		events += s.count
	}
	took := time.Since(began)
	t.Logf("%d worlds, %d events, %.0f a second", worlds, events, float64(events)/took.Seconds())
}

// report shows the smallest world that fails, and what happened in it.
func report(t *testing.T, w *world, err error) {
	t.Helper()
	small := w
	if number(t, "TEST_SHRINK", 1) > 0 {
		small = shrink(w, func(c *world) bool { return live(c, false).toTheEnd() != nil })
	}
	s := live(small, true)
	why := s.toTheEnd()
	trace := s.trace.String()
	if most := 60_000; len(trace) > most {
		trace = "…" + trace[len(trace)-most:]
	}
	t.Errorf("seed %d: %v\nthe smallest world: %v\n%v%s", w.seed, err, why, small, trace)
}

func number(t *testing.T, name string, fallback int) int {
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// addList adds a list with so many batches of fifty addresses.
func (w *world) addList(l listSpec, batches int) {
	l.batches = slices.Repeat([]batchSpec{{addresses: 50}}, batches)
	w.lists = append(w.lists, l)
}

// TestNoListWaitsForOthers: where an owner's large lists have all places, a
// small one gets a place when they have had their turn, and so does the last of
// many large ones: a list that has had its turn waits behind those that have
// not.
func TestNoListWaitsForOthers(t *testing.T) {
	w := &world{seed: 1, nodes: []nodeSpec{{}}, runs: 2, lease: 30 * time.Second}
	for i := range 5 {
		w.addList(listSpec{id: fmt.Sprint("large", i), owner: "owner", slow: 1000}, 300)
	}
	w.lists = append(w.lists, listSpec{id: "small", owner: "owner", at: 5 * time.Second, batches: []batchSpec{{addresses: 10}}})
	s := live(w, false)
	done := func() bool { l := s.store.of["small"]; return l != nil && l.State == rows.JobDone }
	s.run(epoch.Add(2*time.Minute), done)
	if s.failed != nil || !done() {
		t.Errorf("after %v the small list is not done: %v", s.time.Sub(epoch), s.failed)
	}
	first := s.time
	s.run(first.Add(3*time.Minute), func() bool { return !s.store.of["large4"].Started.IsZero() })
	if s.failed != nil || s.store.of["large4"].Started.IsZero() {
		t.Errorf("the last one has not begun: %v", s.failed)
	}
}

// TestPlacesAreTakenAtOnce: a list that waits for a place begins when one is
// free, so that many small lists of one owner do not wait for nothing.
func TestPlacesAreTakenAtOnce(t *testing.T) {
	w := &world{seed: 1, nodes: []nodeSpec{{}}, runs: 2, lease: 30 * time.Second}
	for i := range 20 {
		w.lists = append(w.lists, listSpec{id: fmt.Sprint("small", i), owner: "owner", batches: []batchSpec{{addresses: 10}}})
	}
	s := live(w, false)
	s.run(epoch.Add(time.Minute), s.allDone)
	if took := s.time.Sub(epoch); s.failed != nil || took > 12*time.Second {
		t.Errorf("20 small lists take %v: %v", took, s.failed)
	}
}

// TestRunsAreBounded: runs that lease no more and do not end are bounded, too.
func TestRunsAreBounded(t *testing.T) {
	w := &world{seed: 1, nodes: []nodeSpec{{}}, runs: 1, lease: 30 * time.Second}
	for i := range 5 {
		w.addList(listSpec{id: fmt.Sprint("slow", i), owner: "owner", stuck: 1000}, 10)
	}
	s := live(w, false)
	most := 0
	s.stepped = func(n *simNode) { most = max(most, n.plan.Load().Runs) }
	s.run(epoch.Add(10*time.Minute), s.allDone)
	if s.failed != nil || most != 2 {
		t.Errorf("there are %d runs, want 2: %v", most, s.failed)
	}
}

// TestStopsAtEachStep ends, kills and freezes a node at each of its events.
func TestStopsAtEachStep(t *testing.T) {
	base := newWorld(7)
	base.acts, base.weather, base.nodes = nil, nil, []nodeSpec{{}, {"one"}}
	count := live(base, false)
	if err := count.toTheEnd(); err != nil {
		report(t, base, err)
		return
	}
	step := max(1, count.calm/number(t, "TEST_STOPS", 60))
	for _, what := range []string{"stop", "kill", "freeze", "pause"} {
		for at := 1; at < count.calm; at += step {
			w := *base
			s := live(&w, false)
			s.disturbed = true
			s.stepped = func(n *simNode) {
				if s.count == at {
					s.stepped = nil
					a := act{at: s.time.Sub(epoch), what: what, list: s.lists[at%len(s.lists)].id, node: n.number}
					s.acts = append(slices.Clone(s.acts), a)
					s.after(0, func() { s.act(a) })
				}
			}
			if err := s.toTheEnd(); err != nil {
				t.Fatalf("%s at event %d: %v", what, at, err)
			}
		}
	}
}

// TestSums: the calls to the store in some worlds without disturbances. Who
// changes a rule sees here what it costs, and says why.
func TestSums(t *testing.T) {
	var got [32]int
	addresses, settles, seconds := 0, 0, 0
	for seed := range uint64(60) {
		w := newWorld(seed)
		w.acts, w.weather = nil, nil
		for i := range w.lists {
			w.lists[i].damaged = false
		}
		s := live(w, false)
		s.run(epoch.Add(30*time.Minute), s.allDone)
		if s.failed != nil {
			t.Fatal(s.failed)
		}
		for do, n := range s.asks {
			got[do] += n
		}
		settles += s.settles
		seconds += int(s.time.Sub(epoch).Seconds())
		for _, l := range s.store.lists {
			addresses += int(l.Addresses)
		}
	}
	want := sums{addresses: 33635, looks: 24079, asks: 6605, leases: 12771, frees: 0, joins: 7484, commits: 7247, settlements: 8302, seconds: 5586}
	now := sums{
		addresses, got[schedule.Look], got[schedule.Ask], got[schedule.LeaseBatches], got[schedule.Free], got[schedule.Join],
		got[schedule.Commit], settles, seconds,
	}
	if now != want {
		t.Errorf("%+v, want %+v", now, want)
	}
}

type sums struct{ addresses, looks, asks, leases, frees, joins, commits, settlements, seconds int }
