package suite

import (
	"context"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	list "github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// TestSchedule holds how long lists take where processors cost nothing: what
// the sessions wait for, and in which order they do what there is to do. On an
// idle machine with two processors the first takes a tenth longer.
func TestSchedule(t *testing.T) {
	most := map[string]time.Duration{
		"throughput": 2400 * time.Millisecond, // 1.95 s; 2.65 s before windows were used as they grow, and more could wait
		"patient":    2200 * time.Millisecond, // 1.9 s; 2.3 s
		"wide":       3500 * time.Millisecond, // 2.3 to 2.9 s; 3.1 to 3.3 s
	}
	for _, s := range scenarios() {
		if most[s.name] == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, told, counted := simulate(t, s.placed(false))
				n := float64(s.spec.Addresses)
				t.Logf("%v; an address: %.3f connections, %.2f round trips, %.2f RCPT", took,
					float64(counted.Connections)/n, float64(counted.RoundTrips())/n, float64(counted.Commands["RCPT"])/n)
				if told.falselyUndeliverable > 0 {
					t.Errorf("%+v", told)
				}
				if took > most[s.name] {
					t.Errorf("took %v, want at most %v", took, most[s.name])
				}
				if counted.PeakPerHost > 20 || counted.TurnedAway > 0 || counted.NoQUIT > 0 || counted.Connections > int64(n/10) {
					t.Errorf("%+v", counted)
				}
			})
		})
	}
}

// simulate verifies the list of a scenario in memory, inside a bubble.
func simulate(t *testing.T, s scenario) (took time.Duration, told tally, counted world.Counters) {
	t.Helper()
	place, err := world.NewMemory(s.spec)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := engine.New(engine.Config{
		Resolvers: []string{"192.0.2.53"}, HELO: drive.HELO, SMTPPort: s.spec.Port, Exchanger: place, Dialer: place,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		t.Fatal(err)
	}
	start, answers := time.Now(), &judging{spec: s.spec}
	_, err = list.Run(t.Context(), listOf(s.spec), answers, list.Options{Verifier: verifier, Concurrency: s.concurrency, Trim: rcpt.Result.WithoutDetails})
	took = time.Since(start)
	if err != nil || answers.answered != s.spec.Addresses {
		t.Errorf("%d answers, %v", answers.answered, err)
	}
	if err := verifier.Close(); err != nil {
		t.Error(err)
	}
	place.Close()
	return took, answers.tally, place.Take(t.Context())
}

// addresses yields the list of a world.
type addresses struct{ left []string }

func listOf(spec world.Spec) *addresses {
	var a addresses
	for _, address := range spec.List() {
		a.left = append(a.left, address)
	}
	return &a
}

func (a *addresses) Next(context.Context) (list.Item, error) {
	if len(a.left) == 0 {
		return list.Item{}, io.EOF
	}
	address := a.left[0]
	a.left = a.left[1:]
	return list.Item{Email: address}, nil
}

// tally is how many results there were, and of them those that are not right.
type tally struct{ answered, unsettled, falselyUndeliverable int }

// judging compares results with the truth.
type judging struct {
	spec world.Spec
	tally
}

func (j *judging) Flush(context.Context) error { return nil }

func (j *judging) Write(_ context.Context, i list.Item, r rcpt.Result) error {
	j.answered++
	switch truth := j.spec.Truth(i.Email); {
	case r.Verdict == rcpt.VerdictUnknown && truth != world.Temporary:
		j.unsettled++
	case r.Verdict == rcpt.VerdictUndeliverable && truth != world.NotExists:
		j.falselyUndeliverable++
	}
	return nil
}
