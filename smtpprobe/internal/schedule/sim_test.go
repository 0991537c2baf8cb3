package schedule

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// report shows what is wrong in a world, in the smallest that has it.
func report(t *testing.T, w world, falsify func(planner) planner, fault error) {
	t.Helper()
	fails := func(w world) bool {
		_, err := live(w, falsify, nil)
		return err != nil
	}
	t.Errorf("seed %d: %v", w.seed, fault)
	w = shrink(w, fails)
	_, fault = live(w, falsify, t.Logf)
	t.Logf("hosts %+v, %d jobs, %d faults: %v", w.hosts, len(w.jobs), len(w.faults), fault)
}

// simulate has worlds happen until there were so many events, or one of them
// has shown a fault.
func simulate(t *testing.T, seed uint64, events int) (all figures, worlds int) {
	t.Helper()
	for all.events < events && !t.Failed() {
		w := newWorld(seed + uint64(worlds))
		f, err := live(w, nil, nil)
		if err != nil {
			report(t, w, nil, err)
		}
		all.add(f)
		worlds++
	}
	return all, worlds
}

// TestSimulation has the plan ask hosts of all kinds in many worlds, and sees
// after every action that it keeps what it promises (sim_check_test.go). A
// million events, or in TEST_SIMULATION as many as that says, with new seeds.
func TestSimulation(t *testing.T) {
	events, seed := 1_000_000, uint64(0)
	if testing.Short() {
		events = 300_000
	}
	if text := os.Getenv("TEST_SIMULATION"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("TEST_SIMULATION: %v", err)
		}
		events, seed = n, rand.Uint64()>>16
		t.Logf("the first seed is %d", seed)
	}
	began := time.Now()
	all, worlds := simulate(t, seed, events)
	t.Logf("%d worlds in %v: %+v", worlds, time.Since(began).Round(time.Millisecond), all)
}

// TestSums holds what 300 worlds cost. A change of a rule that changes one of
// these numbers says why in its commit: fewer connections, runs and recipients
// are better, fewer refusals without a proof are, too.
func TestSums(t *testing.T) {
	want := figures{
		events: 69492, connections: 13602, runs: 24726, rcpt: 96559, accepted: 25962, dead: 18392, unproven: 2498,
	}
	var all figures
	for seed := range uint64(300) {
		f, err := live(newWorld(seed), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		all.add(f)
	}
	if all != want {
		t.Errorf("%+v\nwant %+v", all, want)
	}
}

// TestSameTrace sees that the same world happens the same way twice.
func TestSameTrace(t *testing.T) {
	for seed := range uint64(20) {
		var sums [2]uint64
		for i := range sums {
			sum := fnv.New64a()
			_, _ = live(newWorld(seed), nil, func(format string, args ...any) { fmt.Fprintf(sum, format+"\n", args...) })
			sums[i] = sum.Sum64()
		}
		if sums[0] != sums[1] {
			t.Errorf("seed %d happens in two ways", seed)
		}
	}
}

// falsePlan changes the actions of a plan.
type falsePlan struct {
	planner
	change func([]Action) []Action
}

func (f falsePlan) Handle(now time.Time, e Event) []Action {
	return f.change(slices.Clone(f.planner.Handle(now, e)))
}

// TestFalsePlans sees that the simulation finds plans that break a promise.
func TestFalsePlans(t *testing.T) {
	each := func(change func(*Action)) func([]Action) []Action {
		return func(all []Action) []Action {
			for i := range all {
				change(&all[i])
			}
			return all
		}
	}
	without := func(do Do) func([]Action) []Action {
		return func(all []Action) []Action {
			return slices.DeleteFunc(all, func(a Action) bool { return a.Do == do })
		}
	}
	for name, change := range map[string]func([]Action) []Action{
		"no answers": without(Answer), "no QUIT": without(Quit), "sessions go on that nobody wants": without(Abort),
		"an answer twice": func(all []Action) []Action { return append(all, all...) },
		"refusals without proof": each(func(a *Action) {
			if a.Do == Answer && a.Result == Unproven {
				a.Result = Final
			}
		}),
		"company for one that is alone": each(func(a *Action) { a.Alone = a.Do == Run }),
		"the failure of another host": each(func(a *Action) {
			if a.Do == Answer && a.Result == Inherited {
				a.From = -1
			}
		}),
	} {
		found := false
		for seed := uint64(0); seed < 400 && !found; seed++ {
			_, err := live(newWorld(seed), func(p planner) planner { return falsePlan{p, change} }, nil)
			found = err != nil
		}
		if !found {
			t.Errorf("%s: nothing is found", name)
		}
	}
}
