package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// usualMail is what all worlds have in common.
func usualMail(addresses, domains int, delay time.Duration, atOnce int) mailSpec {
	return mailSpec{
		addresses: addresses, domains: domains, delay: delay, atOnce: atOnce, window: 20_000, perDomain: 800,
		acceptAll: 0.1, greylistBefore: 0.03, greylistAfter: 0.03,
		unknown: 0.15, full: 0.03, disabled: 0.02,
		noPipelining: 0.1, strict: 0.3, maxRecipients: 100, maxErrors: 20,
	}
}

func skewedMail(addresses int, delay time.Duration, atOnce int) mailSpec {
	s := usualMail(addresses, 300, delay, atOnce)
	s.skew, s.providers, s.hosted = 1, 8, 0.5
	return s
}

func wideMail() mailSpec {
	s := usualMail(20_000, 3_000, 50*time.Millisecond, 500)
	s.providers, s.hosted, s.hosters, s.strict, s.sessionsPerClient = 3, 0.4, 300, 1, 50
	return s
}

func mailWith(s mailSpec, change func(*mailSpec)) mailSpec {
	change(&s)
	return s
}

type namedMail struct {
	name string
	spec mailSpec
}

// mailWorlds are those of TestCost in lab/bench/suite.
func mailWorlds() []namedMail {
	few, many, wide := skewedMail(2_000, 20*time.Millisecond, 200), skewedMail(20_000, 50*time.Millisecond, 500), wideMail()
	patient := mailWith(many, func(s *mailSpec) { s.maxErrors = 0 })
	postfix := mailWith(few, func(s *mailSpec) { s.strict, s.softErrors = 0.7, 10 })
	dead := func(s mailSpec, share float64) mailSpec { s.unknown = share; return s }
	return []namedMail{
		{"skewed", few},
		{"skewed, 2 % dead", dead(few, 0.02)},
		{"skewed, 40 % dead", dead(few, 0.4)},
		{"skewed, 90 % dead", dead(few, 0.9)},
		{"skewed, no PIPELINING", mailWith(few, func(s *mailSpec) { s.noPipelining, s.providers = 1, 0 })},
		{"Postfix", postfix},
		{"Postfix, 40 % dead", dead(postfix, 0.4)},
		{"strict", mailWith(few, func(s *mailSpec) {
			s.greylistBefore, s.greylistAfter, s.noPipelining = 0.2, 0.2, 0.2
			s.strict, s.maxRecipients, s.maxErrors, s.sessionsPerClient = 1, 5, 5, 10
		})},
		{"distinct", usualMail(2_000, 2_000, 20*time.Millisecond, 200)},
		{"throughput", many},
		{"throughput, 40 % dead", dead(many, 0.4)},
		{"patient", patient},
		{"patient, 40 % dead", dead(patient, 0.4)},
		{"slow", mailWith(many, func(s *mailSpec) { s.slow, s.slowDelay = 0.003, 2*time.Second })},
		{"wide", wide},
		{"wide, 40 % dead", dead(wide, 0.4)},
		{"wide, tarpits", mailWith(wide, func(s *mailSpec) { s.tarpits, s.tarpitDelay = 0.03, 3*time.Second })},
	}
}

// longWorlds are lists of which more comes than is read ahead, or not all at
// once, or with domains that hold others up.
func longWorlds() []namedMail {
	long := mailWith(skewedMail(20_000, 20*time.Millisecond, 100), func(s *mailSpec) {
		s.domains, s.window, s.perDomain = 2_000, 4_000, 200
	})
	silent := usualMail(4_000, 210, 20*time.Millisecond, 20)
	silent.giants, silent.silent = 10, 10
	return []namedMail{
		{"long", long},
		{"long, the largest last", mailWith(long, func(s *mailSpec) { s.largestLast = true })},
		{"wide, as it is read", mailWith(wideMail(), func(s *mailSpec) { s.reads = 150 * time.Microsecond })},
		{"ten domains without DNS", silent},
	}
}

// fedSum is what a list costs in a world.
type fedSum struct {
	took               time.Duration
	connections, trips int
	rcpt, unsettled    int
}

// fedSums are the sums of the worlds with seed 1.
var fedSums = map[string]fedSum{
	"skewed":                  {460 * time.Millisecond, 185, 941, 2599, 3},
	"skewed, 2 % dead":        {500 * time.Millisecond, 178, 893, 2554, 1},
	"skewed, 40 % dead":       {640 * time.Millisecond, 214, 1100, 2760, 16},
	"skewed, 90 % dead":       {900 * time.Millisecond, 284, 1371, 2928, 182},
	"skewed, no PIPELINING":   {1600 * time.Millisecond, 317, 4845, 2742, 5},
	"Postfix":                 {5300 * time.Millisecond, 207, 1063, 2678, 3},
	"Postfix, 40 % dead":      {9420 * time.Millisecond, 261, 1314, 2782, 16},
	"strict":                  {2980 * time.Millisecond, 804, 3796, 4558, 17},
	"distinct":                {1380 * time.Millisecond, 2000, 8579, 4000, 0},
	"throughput":              {1700 * time.Millisecond, 559, 3284, 22702, 2},
	"throughput, 40 % dead":   {2750 * time.Millisecond, 986, 5289, 23762, 9},
	"patient":                 {1850 * time.Millisecond, 489, 2906, 22017, 2},
	"patient, 40 % dead":      {2100 * time.Millisecond, 831, 4491, 22765, 9},
	"slow":                    {4900 * time.Millisecond, 579, 3329, 22692, 2},
	"wide":                    {2750 * time.Millisecond, 1066, 8361, 27766, 0},
	"wide, 40 % dead":         {3300 * time.Millisecond, 1549, 10835, 28417, 0},
	"wide, tarpits":           {94850 * time.Millisecond, 1076, 8436, 27763, 0},
	"long":                    {2380 * time.Millisecond, 1333, 8189, 26125, 17},
	"long, the largest last":  {2340 * time.Millisecond, 1310, 7116, 24993, 31},
	"wide, as it is read":     {2550 * time.Millisecond, 1033, 8108, 27766, 0},
	"ten domains without DNS": {3400 * time.Millisecond, 200, 1158, 2331, 1938},
}

// TestFeedSums holds what a list costs in the worlds of TestCost of
// lab/bench/suite, which has real sockets, goroutines and a resolver in the
// place of this simulation, and gives the same within a few parts in a hundred:
// the judge of whether a rule of feeding, or of the plan, is worth having. A
// change of a rule that changes one of these numbers says why in its commit.
func TestFeedSums(t *testing.T) {
	for _, w := range append(mailWorlds(), longWorlds()...) {
		if testing.Short() && w.spec.addresses > 2_000 {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			w.spec.seed = 1
			f := newFeeding(w.spec)
			if err := f.run(); err != nil {
				t.Error(err)
			}
			got := fedSum{f.took.Round(time.Millisecond), f.connections, f.trips, f.rcpt, f.unsettled}
			if want := fedSums[w.name]; got != want {
				t.Errorf("%+v\nwant %+v", got, want)
			}
			n := float64(w.spec.addresses)
			t.Logf("%v; an address: %.3f connections, %.3f round trips, %.3f RCPT", f.took,
				float64(f.connections)/n, float64(f.trips)/n, float64(f.rcpt)/n)
		})
	}
}

// anyMail is a small world of a seed.
func anyMail(seed uint64) mailSpec {
	r := rand.New(rand.NewPCG(seed, 3))
	upTo := func(n int) int { return 1 + r.IntN(n) }
	share := func() float64 { return r.Float64() * r.Float64() }
	s := mailSpec{
		seed: seed, addresses: upTo(600), domains: upTo(60), delay: time.Duration(upTo(100)) * time.Millisecond,
		skew: float64(r.IntN(2)), providers: r.IntN(4), hosted: share(), hosters: r.IntN(10),
		acceptAll: share() / 3, greylistBefore: share() / 3, greylistAfter: share() / 3,
		unknown: share(), full: 0.03, disabled: 0.02, slow: share() / 50, slowDelay: 2 * time.Second,
		noPipelining: share(), tarpits: share() / 5, tarpitDelay: 3 * time.Second,
		strict: share(), maxRecipients: upTo(100), softErrors: r.IntN(2) * 10, maxErrors: 4 + r.IntN(20),
		sessionsPerClient: r.IntN(2) * upTo(20),
		atOnce:            upTo(40), window: 50 + r.IntN(1000), perDomain: 1 + r.IntN(100),
		retried: time.Duration(r.IntN(2)) * 30 * time.Minute,
		singles: r.IntN(20), singleEvery: time.Duration(upTo(500)) * time.Millisecond,
	}
	if r.IntN(3) == 0 {
		s.giants = r.IntN(s.domains)
		s.silent = r.IntN(s.giants + 1)
		s.reads = time.Duration(r.IntN(1000)) * time.Millisecond
	}
	if r.IntN(2) == 0 {
		s.pace = pace.Limits{Sessions: upTo(4), SessionsPerMinute: 10 + r.IntN(100)}
	}
	return s
}

// TestFeed feeds lists in many worlds, and sees after each step that package
// feed keeps what it promises, and at the end that each address has an outcome.
func TestFeed(t *testing.T) {
	var all fedFigures
	for seed := range uint64(200) {
		f := newFeeding(anyMail(seed))
		f.check = &feedCheck{domains: map[string]*domainCheck{}}
		if err := f.run(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		all.heldBack, all.retried, all.singles = all.heldBack+f.heldBack, all.retried+f.retried, all.singles+f.singles
		all.slowest = max(all.slowest, f.slowest)
	}
	t.Logf("%+v", all)
	if all.heldBack == 0 || all.retried == all.heldBack || all.singles == 0 {
		t.Errorf("too little happens: %+v", all)
	}
}
