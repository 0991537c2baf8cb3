package schedule

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// Worlds that are made for one rule, where chance would seldom bring about what
// it is for, or where it shows only in numbers.

// madeWorld is a world with some hosts of one provider.
func madeWorld(provider pace.Table, hosts ...simHost) world {
	w := world{seed: 1, calm: true, config: testConfig(), egresses: []Egress{{ID: 1, Key: "k", Name: "e", Weight: 1}}}
	w.config.MaxSessionsPerHost = 4
	for i, h := range hosts {
		h.addr, h.provider = addrOf(i), provider
		w.hosts = append(w.hosts, h)
	}
	return w
}

// add adds jobs of a caller at a host, in a domain; the last of them dead.
func (w *world) add(at time.Duration, caller CallerID, host int, domain string, good, bad int) {
	batch := len(w.jobs)
	for i := range good + bad {
		id, name := JobID(len(w.jobs)+1), "good"
		if i >= good {
			name = "bad"
		}
		w.jobs = append(w.jobs, simJob{host: host, batch: batch, at: at, Job: Job{
			ID: id, Addr: w.hosts[host].addr, Provider: w.hosts[host].provider, Caller: caller, Domain: domain,
			Target: fmt.Sprintf("%s%d@%s", name, id, domain), Control: "random@" + domain, Budget: time.Minute,
		}})
	}
}

// watch has a world happen, and returns the actions of a kind with their times.
func watch(t *testing.T, w world, do Do) (all []timed, l figures) {
	t.Helper()
	f, err := live(w, func(p planner) planner { return watched{p, do, &all} }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all, f
}

type timed struct {
	Action
	at time.Duration
}

// watched is a plan whose actions are noted.
type watched struct {
	planner
	do  Do
	all *[]timed
}

func (p watched) Handle(now time.Time, e Event) []Action {
	actions := p.planner.Handle(now, e)
	for _, a := range actions {
		if a.Do == p.do {
			*p.all = append(*p.all, timed{a, now.Sub(start)})
		}
	}
	return actions
}

// TestTurnsOfTen sees that a domain with few addresses waits for no more than a
// turn of one with many. (Rule 2.2)
func TestTurnsOfTen(t *testing.T) {
	w := madeWorld(pace.Table{Provider: "p"}, simHost{kind: slowHost})
	w.config.MaxSessionsPerHost = 1
	w.add(0, 1, 0, "many.example", 60, 0)
	w.add(30*time.Second, 2, 0, "few.example", 5, 0)
	before, few := 0, 0
	runs, _ := watch(t, w, Run)
	for _, r := range runs {
		for _, id := range r.Targets {
			switch {
			case r.at < 30*time.Second:
			case id > 60:
				few++
			case few < 5:
				before++
			}
		}
	}
	if few != 5 || before > perTurn+1 { // and one that the session has taken by then
		t.Errorf("%d go first", before)
	}
}

// TestHostsTakeTurns sees that hosts with many addresses share the sessions of
// their provider evenly, and that one with few waits for no more than a turn.
// (Rules 5.3 and 6.2)
func TestHostsTakeTurns(t *testing.T) {
	p := pace.Table{Provider: "p", Known: true, Limits: pace.Limits{Sessions: 2, SessionsPerMinute: pace.Unlimited}}
	w := madeWorld(p, slices.Repeat([]simHost{{kind: slowHost}}, 7)...)
	for host := range 6 {
		w.add(0, 1, host, fmt.Sprintf("d%d.example", host), 40, 0)
	}
	w.add(20*time.Second, 1, 6, "late.example", 1, 0)
	begun, late := map[int]int{}, time.Duration(0)
	opens, _ := watch(t, w, Open)
	for _, o := range opens {
		if host := hostOf(o.Addr); host == 6 {
			late = o.at
		} else if o.at < 5*time.Minute {
			begun[host]++
		}
	}
	for host := range 6 {
		if n := begun[host]; n < 2 || n > begun[0]+1 || n < begun[0]-1 {
			t.Errorf("host %d has %d sessions of %v", host, n, begun)
		}
	}
	if late > 3*time.Minute {
		t.Errorf("the last host waits until %v", late)
	}
}

// TestLimitsAreLearnt sees how often a host with a limit refuses us for it: the
// limit is found in a few steps, and tried again seldom. (Rules 3.4 and 9.1 to
// 9.4)
func TestLimitsAreLearnt(t *testing.T) {
	for _, tt := range []struct {
		name      string
		host      simHost
		good, bad int
		runs      int // transactions, at most
		opens     int // sessions, at most
	}{
		{"none", simHost{kind: plainHost}, 400, 0, 14, 4},
		{"4 recipients", simHost{kind: limitsRecipients, n: 4}, 400, 0, 320, 50},
		{"2 sessions", simHost{kind: limitsSessions, n: 2}, 400, 0, 14, 6},
		{"hangs up after 12 refusals", simHost{kind: hangsUp, n: 12}, 100, 200, 50, 35},
		{"Postfix", simHost{kind: postfix}, 100, 200, 40, 30},
		{"slow to answer RSET", simHost{kind: slowReset}, 100, 200, 30, 20},
		{"turns after 15 refusals of a session", simHost{kind: turnsSession, n: 15}, 100, 200, 45, 35},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := madeWorld(pace.Table{Provider: "p"}, tt.host)
			w.add(0, 1, 0, "d.example", tt.good, tt.bad)
			_, f := watch(t, w, Run)
			t.Logf("%d transactions in %d sessions; %d accepted, %d dead", f.runs, f.connections, f.accepted, f.dead)
			if f.runs > tt.runs || f.connections > tt.opens {
				t.Errorf("at most %d in %d", tt.runs, tt.opens)
			}
			if f.accepted != tt.good || f.dead != tt.bad {
				t.Errorf("%d of %d are accepted, and %d of %d dead", f.accepted, tt.good, f.dead, tt.bad)
			}
		})
	}
}

// TestLimitGoesAway sees that a host which took few recipients has many of
// them two hours later. (Rule 9.5)
func TestLimitGoesAway(t *testing.T) {
	w := madeWorld(pace.Table{Provider: "p"}, simHost{kind: limitsForAWhile, n: 3})
	w.config.MaxSessionsPerHost = 1
	w.add(0, 1, 0, "d.example", 60, 0)
	w.add(2*time.Hour, 1, 0, "d.example", 60, 0)
	var sizes [2]int
	runs, _ := watch(t, w, Run)
	for _, r := range runs[len(runs)/4:] {
		late := int(r.at / (2 * time.Hour))
		sizes[late] = max(sizes[late], len(r.Targets))
	}
	if sizes[0] > 5 || sizes[1] < 12 {
		t.Errorf("at most %d, and later %d", sizes[0], sizes[1])
	}
}

// TestAddressesOfWays sees that each egress has its share of the sites, and
// that only those of one that goes are asked by others. (Rule 8.2)
func TestAddressesOfWays(t *testing.T) {
	const sites = 4000
	weights := []int{1, 2, 5}
	var all []Egress
	for i, weight := range weights {
		all = append(all, Egress{ID: EgressID(i + 1), Key: fmt.Sprint("k", i), Name: fmt.Sprint("e", i), Weight: weight})
	}
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1}) }
	ways := func(all []Egress) (of [sites]EgressID) {
		s := New(testConfig(), all, nil)
		for i := range of {
			of[i], _ = s.Way(start, "p", addr(i))
		}
		return of
	}
	before, after := ways(all), ways(all[:2])
	share := map[EgressID]int{}
	for i, e := range before {
		if share[e]++; e != 3 && after[i] != e {
			t.Fatalf("%v was asked by %d, and is by %d", addr(i), e, after[i])
		}
	}
	for i, weight := range weights {
		p := float64(weight) / 8
		want, sigma := sites*p, math.Sqrt(sites*p*(1-p))
		if got := float64(share[EgressID(i+1)]); math.Abs(got-want) > 4*sigma {
			t.Errorf("weight %d has %v sites, and not about %v", weight, got, want)
		}
	}
}

// TestNamesOfAProvider sees that a host which was first asked under a name in
// no table has the limits of its provider as soon as a job has that name.
// (Rule 6.6)
func TestNamesOfAProvider(t *testing.T) {
	known := pace.Table{Provider: "p", Known: true, Limits: pace.Limits{Sessions: 1}}
	w := madeWorld(known, simHost{kind: plainHost}, simHost{kind: plainHost})
	w.hosts[0].provider = pace.Table{Provider: "mx.example"}
	w.add(0, 1, 0, "d.example", 5, 0)
	w.hosts[0].provider = known
	w.add(time.Minute, 1, 0, "d.example", 100, 0)
	w.add(time.Minute, 1, 1, "e.example", 100, 0)
	opens, _ := watch(t, w, Open) // the limits are checked, too
	var hosts []string
	for _, o := range opens[1:] {
		hosts = append(hosts, fmt.Sprint(hostOf(o.Addr)))
	}
	if got := strings.Join(hosts, ""); !strings.Contains(got, "01") && !strings.Contains(got, "10") {
		t.Errorf("%s", got)
	}
}
