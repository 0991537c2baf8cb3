package plan

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/forecast"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// TestPage: the page for users shows what the simulation says.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/planning.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Tables()
	if err != nil {
		t.Fatal(err)
	}
	updated, err := replaced(string(page), tables)
	if err != nil {
		t.Fatal(err)
	}
	if updated != string(page) {
		t.Errorf("docs/planning.md is out of date: cd lab/bench && go run . plan --write ../../docs/planning.md")
	}
}

// TestMixes: the shares are shares.
func TestMixes(t *testing.T) {
	for _, mix := range Mixes() {
		sum := 0.0
		for _, part := range mix.Parts {
			sum += part.Share
		}
		if sum <= 0 || sum >= 1 || mix.Source == "" {
			t.Errorf("%s: the parts are %v of the list", mix.Name, sum)
		}
	}
}

// google is all of a list at one provider, with mail hosts in so many networks.
func google(networks int) (Mix, situation) {
	part := Part{Provider: "google", Share: 1, Networks: networks}
	return Mix{Parts: []Part{part}}, situation{part: part, networks: networks, preset: pace.Normal}
}

func rateOf(t *testing.T, s situation) forecast.Rate {
	t.Helper()
	r, err := s.rate()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOneProvider: the rate is within the limits that are left to lists, and
// not far below them, and a list at one network takes as long by any number of
// egresses.
func TestOneProvider(t *testing.T) {
	mix, s := google(1)
	r := rateOf(t, s)
	table, _ := provider.PacingOf("google")
	l := pace.Settings{}.Rules(table).Limits
	most := float64(min(pace.ForLists(l.SessionsPerMinute)*l.RecipientsPerSession, pace.ForLists(l.RecipientsPerMinute)))
	if r.Recipients > most || r.Recipients < 0.75*most || r.Addresses > r.Recipients {
		t.Errorf("%+v; %v recipients a minute are allowed", r, most)
	}
	if r.Sessions > float64(pace.ForLists(l.Sessions)) {
		t.Errorf("%+v is more than the limits %+v", r, l)
	}
	want := time.Duration(math.Ceil(1_000_000/r.Addresses)) * time.Minute
	for _, egresses := range []int{1, 3} {
		got, err := Simulate(mix, 1_000_000, egresses, pace.Normal)
		if err != nil || got.Took != want || got.Last != "google" {
			t.Errorf("%d egresses: %+v, %v; want %v", egresses, got, err, want)
		}
	}
}

// TestNetworks: where a provider has mail hosts in many networks, ten egresses
// are several times as fast as one.
func TestNetworks(t *testing.T) {
	mix, _ := google(100)
	one, err := Simulate(mix, 1_000_000, 1, pace.Normal)
	ten, err10 := Simulate(mix, 1_000_000, 10, pace.Normal)
	if err != nil || err10 != nil || ten.Took < one.Took/10 || ten.Took > one.Took/5 {
		t.Errorf("by one %v, %v; by ten %v, %v", one.Took, err, ten.Took, err10)
	}
}

// TestSample: the rates do not depend on how much is simulated.
func TestSample(t *testing.T) {
	all := []Part{{}}
	for _, mix := range Mixes() {
		all = append(all, mix.Parts...)
	}
	for _, part := range all {
		s := situation{part: part, networks: part.Networks, preset: pace.Normal}
		r := rateOf(t, s)
		h, p, err := s.assume()
		if err != nil {
			t.Fatal(err)
		}
		for _, minutes := range []time.Duration{2, 8} {
			other := forecast.Of(h, p, warmUp, minutes*time.Minute)
			if part.Provider == "" {
				other.Addresses *= thinned
			}
			if d := other.Addresses/r.Addresses - 1; math.Abs(d) > 0.05 {
				t.Errorf("%+v: %.0f a minute, and in %d minutes %.0f", part, r.Addresses, minutes, other.Addresses)
			}
		}
	}
}

// TestTogether: the sessions with all large providers are fewer than those of
// the process, so that each may be simulated by itself.
func TestTogether(t *testing.T) {
	for _, mix := range Mixes() {
		for _, egresses := range counts {
			sessions := 0.0
			for _, part := range mix.Parts {
				s := situation{part: part, networks: forecast.Busiest(part.Networks, egresses), preset: pace.Normal}
				sessions += rateOf(t, s).Sessions * float64(min(egresses, part.Networks))
			}
			if sessions > maxSessions-concurrency {
				t.Errorf("%s: %d egresses have %.0f sessions with large providers", mix.Name, egresses, sessions)
			}
		}
	}
}

// TestBudget: with daily budgets of 500, 1000, 2000 …, of which an eighth is
// kept, a list ends on the day on which their sum is reached.
func TestBudget(t *testing.T) {
	mix, s := google(1)
	s.preset = pace.Careful
	r := rateOf(t, s)
	const days, first = 5, 500
	budget := 0
	for day := range days {
		budget += pace.ForLists(first << day)
	}
	addresses := float64(budget)*r.Addresses/r.Recipients - 10
	got, err := Simulate(mix, int(addresses), 1, pace.Careful)
	if err != nil || got.Took <= (days-1)*24*time.Hour || got.Took > days*24*time.Hour {
		t.Errorf("%+v, %v; want it on day %d", got, err, days)
	}
	more, err := Simulate(mix, int(addresses)+100, 1, pace.Careful)
	if err != nil || more.Took <= days*24*time.Hour {
		t.Errorf("some more: %+v, %v", more, err)
	}
}

// TestMore: more egresses never take longer, and more addresses never less.
func TestMore(t *testing.T) {
	for _, mix := range Mixes() {
		for _, preset := range []pace.Preset{pace.Normal, pace.Careful} {
			var least time.Duration
			for _, size := range sizes {
				before := time.Duration(math.MaxInt64)
				for _, n := range counts {
					a, err := Simulate(mix, size, n, preset)
					if err != nil {
						t.Fatal(err)
					}
					if a.Took > before || n == 1 && a.Took < least {
						t.Errorf("%s, %s: %d through %d take %v", mix.Name, preset, size, n, a.Took)
					}
					before = a.Took
					if n == 1 {
						least = a.Took
					}
				}
			}
		}
	}
}

func TestUnknownProvider(t *testing.T) {
	if _, err := Simulate(Mix{Parts: []Part{{Provider: "nobody", Share: 1, Networks: 1}}}, 1, 1, pace.Normal); err == nil {
		t.Error("no error")
	}
	if _, err := replaced("a page", "tables"); err == nil {
		t.Error("a page without marks: no error")
	}
}
