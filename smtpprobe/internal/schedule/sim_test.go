package schedule

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// report shows what is wrong in a world, in the smallest that has it.
func report(t *testing.T, w world, falsify func(planner) planner, fault error) {
	t.Helper()
	fails := func(w world) bool {
		_, err := live(w, falsify, nil)
		return err != nil && plainFault(err) == plainFault(fault)
	}
	t.Errorf("seed %d: %v", w.seed, fault)
	w = shrink(w, fails)
	_, fault = live(w, falsify, t.Logf)
	t.Logf("hosts %+v, %d jobs, %d faults: %v", w.hosts, len(w.jobs), len(w.faults), fault)
}

// plainFault is a fault without numbers and mailboxes.
func plainFault(err error) string {
	words := slices.DeleteFunc(strings.Fields(err.Error()), func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	return strings.Join(words, " ")
}

// ended is what came of a world.
type ended struct {
	world world
	figures
	fault error
}

// liveAll has so many worlds happen, from a seed on, on all processors, and
// returns what came of them in the order of their seeds.
func liveAll(seed uint64, n int) []ended {
	all := make([]ended, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				e := &all[i]
				e.world = newWorld(seed + uint64(i))
				e.figures, e.fault = live(e.world, nil, nil)
			}
		})
	}
	wait.Wait()
	return all
}

// atOnce is how many worlds happen before it is seen whether that was enough.
const atOnce = 64

// simulate has worlds happen until there were so many events, or one of them
// has shown a fault: the one with the lowest seed is shown. So how many there
// are is no matter of time.
func simulate(t *testing.T, seed uint64, events int) (all figures, worlds int) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // worlds are small, and soon forgotten
	for {
		for _, e := range liveAll(seed+uint64(worlds), atOnce) {
			worlds++
			if all.add(e.figures); e.fault != nil {
				report(t, e.world, nil, e.fault)
				return all, worlds
			}
			if all.events >= events {
				return all, worlds
			}
		}
	}
}

// TestSimulation has the plan ask hosts of all kinds in many worlds, and sees
// after every action that it keeps what it promises (sim_check_test.go). A
// million events, or in TEST_SIMULATION as many as that says, from a new seed
// on, or from the one behind an @.
func TestSimulation(t *testing.T) {
	events, seed := 1_000_000, uint64(0)
	if text := os.Getenv("TEST_SIMULATION"); text != "" {
		number, from, given := strings.Cut(text, "@")
		n, err := strconv.Atoi(number)
		if events, seed = n, rand.Uint64()>>16; given && err == nil {
			seed, err = strconv.ParseUint(from, 10, 64)
		}
		if err != nil {
			t.Fatalf("TEST_SIMULATION: %v", err)
		}
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
		events: 68724, connections: 13327, runs: 20764, rcpt: 83894, accepted: 23198, dead: 17781, unproven: 883,
	}
	var all figures
	for _, e := range liveAll(0, 300) {
		if e.fault != nil {
			t.Fatalf("seed %d: %v", e.world.seed, e.fault)
		}
		all.add(e.figures)
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

// eachAction is a plan whose actions are changed one by one.
func eachAction(change func(*Action)) func(planner) planner {
	return func(p planner) planner {
		return falsePlan{p, func(all []Action) []Action {
			for i := range all {
				change(&all[i])
			}
			return all
		}}
	}
}

// answersFinal is a plan that takes results of one kind for final.
func answersFinal(result Result) func(planner) planner {
	return eachAction(func(a *Action) {
		if a.Do == Answer && a.Result == result {
			a.Result = Final
		}
	})
}

// never is a plan without actions of one kind.
func never(do Do) func(planner) planner {
	return func(p planner) planner {
		return falsePlan{p, func(all []Action) []Action {
			return slices.DeleteFunc(all, func(a Action) bool { return a.Do == do })
		}}
	}
}

// twice is a plan that does something twice. The second session of an Open has
// a number of its own.
func twice(do Do) func(planner) planner {
	return func(p planner) planner {
		return falsePlan{p, func(all []Action) []Action {
			for _, a := range all {
				if a.Do != do {
					continue
				}
				if do == Open {
					a.Session += 1 << 40
				}
				all = append(all, a)
			}
			return all
		}}
	}
}

// changed is a plan with another configuration than the world has.
func changed(change func(*Config)) func(planner) planner {
	return func(p planner) planner {
		change(&p.(*State).config)
		return p
	}
}

// forgetful is a plan that forgets something before each event.
type forgetful struct {
	*State
	forget func(*State)
}

func (f forgetful) Handle(now time.Time, e Event) []Action {
	f.forget(f.State)
	return f.State.Handle(now, e)
}

func forgets(what func(*State)) func(planner) planner {
	return func(p planner) planner { return forgetful{p.(*State), what} }
}

// forgetsHosts is a plan that forgets something of each host.
func forgetsHosts(what func(*host)) func(planner) planner {
	return forgets(func(s *State) {
		for _, h := range s.hosts {
			what(h)
		}
	})
}

// falsePlans are plans that break a promise, each with the fault that shows it.
var falsePlans = []struct {
	name, fault string
	falsify     func(planner) planner
}{
	{"no answers", "jobs wait of", never(Answer)},
	{"no QUIT", "sessions are left", never(Quit)},
	{"sessions go on that nobody wants", "goes on for nobody", never(Abort)},
	{"an answer twice", "has its answer", twice(Answer)},
	{"a transaction twice", "cannot do", twice(Run)},
	{"sessions over the limit", "of at most", twice(Open)},
	{"refusals without proof", "a refusal without its proof", answersFinal(Unproven)},
	{"refusals of a host that has turned", "false undeliverable", answersFinal(Turned)},
	{"company for one that is alone", "one that is alone is not", eachAction(func(a *Action) { a.Alone = a.Do == Run })},
	{"what is not believed", "is not to be believed", answersFinal(NotBelieved)},
	{"no proofs", "no proof is named", eachAction(func(a *Action) {
		if a.Do == Run && len(a.Targets) > 0 {
			a.Proof = ""
		}
	})},
	{"no controls", "is not named", eachAction(func(a *Action) { a.Controls = nil })},
	{"what nobody said of a control", "the host has not said", eachAction(func(a *Action) {
		for i := range a.Known {
			a.Known[i].Reply = &shutting
		}
	})},
	{"another reason", "has no reason", eachAction(func(a *Action) {
		if a.Do == Answer && a.Result == GivenUp {
			a.Result = LeftOut
		}
	})},
	{"no time to ask again", "is to ask again in", eachAction(func(a *Action) { a.Retry = -1 })},
	{"all sessions", "all:", changed(func(c *Config) { c.MaxSessions += 8 })},
	{"sessions of a host", "host:", changed(func(c *Config) { c.MaxSessionsPerHost += 4 })},
	{"sessions of an egress", "egress:", changed(func(c *Config) { c.Pace.Egress.Sessions *= 2 })},
	{"limits of providers", "provider:", changed(func(c *Config) { c.Pace.Preset = pace.Off })},
	{"sessions a minute", "minute:", changed(func(c *Config) { c.Pace.Preset = pace.Off })},
	{"recipients a day", "day:", changed(func(c *Config) { c.Pace.Preset = pace.Off })},
	{"recipients of a session", "session:", changed(func(c *Config) { c.Pace.Preset = pace.Off })},
	{"the first day", "first day:", changed(func(c *Config) { c.Pace.Egress.FirstDay = pace.Unlimited })},
	{"waiting single checks", "has no reason to be told 17", changed(func(c *Config) { c.MaxWaitingPerHost = 1 })},
	{"all single checks", "single checks wait for host", changed(func(c *Config) { c.MaxWaitingPerHost = 1000 })},
	{"extensions that failed", "where it has failed", forgetsHosts(func(h *host) { clear(h.trials) })},
	{"idle sessions", "idle for", changed(func(c *Config) { c.Idle *= 2 })},
	{"refusals", "a question behind", changed(func(c *Config) { c.Refused *= 2 })},
	{"greylisters", "has greylisted egress", forgets(func(s *State) { s.egresses.loyal.young = nil })},
	{"egresses that are down", "is tried again at once", forgets(func(s *State) {
		for _, e := range s.egresses.all {
			e.failures = 0
			clear(e.silent)
		}
	})},
	{"pauses by two egresses", "provider that is paused", forgets(func(s *State) { clear(s.troubled) })},
	{"hosts that failed", "is to be left alone", forgetsHosts(func(h *host) { h.failed = nil })},
	{"hosts that put us off", "is to be left alone", forgetsHosts(func(h *host) { h.notBefore = time.Time{} })},
	{"sessions that halved", "has put us off, and has", forgetsHosts(func(h *host) {
		h.limits.sessions.now = h.limits.sessions.most
	})},
	{"hosts that are slow", "at a host that takes", forgetsHosts(func(h *host) { h.perRecipient = 0 })},
	{"hosts that are slow behind refusals", "a question behind", forgetsHosts(func(h *host) {
		h.limits.refused = newLimits(&Config{}, 1).refused
	})},
	{"SMTPUTF8", "which has offered it", forgetsHosts(func(h *host) { h.shown = nil })},
	{"what is said of controls", "is not named", forgets(func(s *State) {
		for _, j := range s.jobs {
			j.Control = ""
		}
	})},
	{"how many wait", "has no reason to be told 18", forgets(func(s *State) {
		for _, c := range s.callers {
			c.most = 0
		}
	})},
	{"routes", "does not serve", func(p planner) planner {
		p.(*State).egresses.routes = nil
		return p
	}},
	{"the failure of another host", "has the answer of host", eachAction(func(a *Action) {
		if a.Do == Answer && a.Result == Inherited {
			a.From = account{host: -1}
		}
	})},
}

// findFault returns the first world in which a plan shows a fault.
func findFault(t *testing.T, fault string, falsify func(planner) planner) world {
	t.Helper()
	for seed := range uint64(400) {
		w := newWorld(seed)
		if _, err := live(w, falsify, nil); err != nil && strings.Contains(err.Error(), fault) {
			return w
		}
	}
	t.Fatalf("nothing is found with %q", fault)
	return world{}
}

// TestFalsePlans sees that the simulation finds plans that break a promise, and
// by what.
func TestFalsePlans(t *testing.T) {
	for _, f := range falsePlans {
		t.Run(f.name, func(t *testing.T) { findFault(t, f.fault, f.falsify) })
	}
}

// TestShrink sees that a world that fails becomes small, fails as before, and
// that the world from which it was made is not changed.
func TestShrink(t *testing.T) {
	const fault = "a refusal without its proof"
	falsify := answersFinal(Unproven)
	fails := func(w world) bool {
		_, err := live(w, falsify, nil)
		return err != nil && strings.Contains(err.Error(), fault)
	}
	w := findFault(t, fault, falsify)
	before := len(w.jobs)
	small := shrink(w, fails)
	if !fails(small) {
		t.Error("the small world does not fail")
	}
	if n := len(small.jobs); n > 10 || len(small.faults) > 2 {
		t.Errorf("%d jobs of %d and %d faults are left", n, before, len(small.faults))
	}
	if len(w.jobs) != before || !fails(w) {
		t.Error("the world itself was changed")
	}
}
