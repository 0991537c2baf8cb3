package plan

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
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

// TestOneProvider compares the simulation with what can be computed by hand.
func TestOneProvider(t *testing.T) {
	mix := Mix{Parts: []Part{{"google", 1}}}
	s, err := siteOf("google", pace.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rate := s.perMinute(float64(s.limits.Sessions)).rate
	if l := s.limits; rate > float64(l.SessionsPerMinute*l.RecipientsPerSession) || rate > float64(l.RecipientsPerMinute) {
		t.Errorf("%v a minute is more than the limits %+v", rate, l)
	}
	for _, egresses := range []int{1, 3} {
		got, err := Simulate(mix, 1_000_000, egresses, pace.Normal)
		want := time.Duration(math.Ceil(1_000_000/rate/float64(egresses))) * time.Minute
		if err != nil || got.Took != want || got.Last != "google" {
			t.Errorf("%d egresses: %+v, %v; want %v", egresses, got, err, want)
		}
	}
}

// TestBudget: with daily budgets of 500, 1000, 2000 …, of which an eighth is
// kept, a list ends on the day on which their sum is reached.
func TestBudget(t *testing.T) {
	mix := Mix{Parts: []Part{{"google", 1}}}
	const days, first = 5, 500
	budget := 0
	for day := range days {
		budget += pace.ForLists(first << day)
	}
	addresses := float64(budget)/named - 10
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
	if _, err := Simulate(Mix{Parts: []Part{{"nobody", 1}}}, 1, 1, pace.Normal); err == nil {
		t.Error("no error")
	}
	if _, err := replaced("a page", "tables"); err == nil {
		t.Error("a page without marks: no error")
	}
}
