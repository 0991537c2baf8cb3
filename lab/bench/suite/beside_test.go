package suite

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt"
	list "github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
	pacing "github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// form is a stream of single checks, as a sign-up form makes them: one every
// few seconds, each with two seconds to answer.
const (
	formEvery  = 3 * time.Second
	formWithin = 2 * time.Second
	formChecks = 40
)

// TestFormBesideList tells, in fake time, what a form gets while a list of
// 100,000 addresses of the same provider is verified, and what without it.
func TestFormBesideList(t *testing.T) {
	if testing.Short() {
		t.Skip("some minutes of a busy machine")
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintln(out, "limits\tlist\tanswers\tp50\tp95\tof the list\t")
	limitsOf := func(name string) pacing.Limits {
		table, _ := provider.PacingOf(name)
		return pacing.Settings{}.WithDefaults().Rules(table).Limits
	}
	for _, tt := range []struct {
		name   string
		limits pacing.Limits
		hosts  int
		slow   float64
	}{
		{"google", limitsOf("google"), 5, 0},
		{"microsoft", limitsOf("microsoft"), 5, 0},
		{"unknown", pacing.UnknownLimits(), 300, 0},
		{"unknown, 5 % take 5 s", pacing.UnknownLimits(), 20, 0.05},
	} {
		var alone int
		for _, beside := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := newForm(t, tt.limits, tt.hosts, tt.slow)
				answers, p50, p95 := f.run(t, beside)
				fmt.Fprintf(out, "%s\t%t\t%d of %d\t%v\t%v\t%d\t\n", tt.name, beside, answers, formChecks, p50, p95, f.listed)
				out.Flush()
				if !beside {
					alone = answers
				}
				if answers < alone || !beside && tt.slow == 0 && answers < formChecks {
					t.Errorf("%s, beside a list %t: %d of %d were answered, %d without", tt.name, beside, answers, formChecks, alone)
				}
			})
		}
	}
}

// formWorld is a verifier in the world of an operator with many mail hosts.
type formWorld struct {
	spec     world.Spec
	place    *world.Memory
	verifier *engine.Verifier
	listed   int // addresses of the list that were done
}

func newForm(t *testing.T, limits pacing.Limits, hosts int, slow float64) *formWorld {
	return newFormIn(t, limits, world.Spec{
		Seed: 1, Subnet: crowdSubnet, Port: crowdPort, Delay: 50 * time.Millisecond, Addresses: 100_000, Domains: hosts,
		MailboxMix: world.MailboxMix{Unknown: 0.1, Slow: slow, SlowDelay: 5 * time.Second},
		Operator:   world.Operator{SessionsPerClient: 100, Complaints: 1 << 30, BlocksFor: time.Minute},
	})
}

func newFormIn(t *testing.T, limits pacing.Limits, spec world.Spec) *formWorld {
	place, err := world.NewMemory(spec)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := engine.New(engine.Config{
		Resolvers: []string{"192.0.2.53"}, HELO: drive.HELO, SMTPPort: spec.Port, Exchanger: place, Dialer: place,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Pace:      pacing.Settings{Unknown: limits, Harvest: pacing.Harvest{Recipients: -1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &formWorld{spec: spec, place: place, verifier: verifier}
}

// run makes the checks, perhaps beside the list, and returns how many had an
// answer, and how long those took.
func (f *formWorld) run(t *testing.T, beside bool) (answers int, p50, p95 time.Duration) {
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	answered := &judging{spec: f.spec}
	if beside {
		others.Go(func() {
			_, _ = list.Run(ctx, listOf(f.spec), answered, list.Options{
				Verifier: f.verifier, Concurrency: 500, Unordered: true, Trim: rcpt.Result.WithoutDetails,
			})
		})
		time.Sleep(30 * time.Second)
	}
	took := make([]time.Duration, formChecks)
	var checks sync.WaitGroup
	for i := range formChecks {
		checks.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, formWithin)
			defer cancel()
			began := time.Now()
			r, err := f.verifier.Verify(ctx, fmt.Sprintf("box%d@d%d.test", f.spec.Addresses+i, i*7%f.spec.Domains))
			if err == nil && r.Verdict != rcpt.VerdictUnknown {
				took[i] = time.Since(began)
			}
		})
		time.Sleep(formEvery)
	}
	checks.Wait()
	cancel()
	others.Wait()
	f.listed = answered.answered
	if err := f.verifier.Close(); err != nil {
		t.Error(err)
	}
	f.place.Close()
	took = slices.DeleteFunc(took, func(d time.Duration) bool { return d == 0 })
	if slices.Sort(took); len(took) == 0 {
		return 0, 0, 0
	}
	return len(took), took[len(took)/2], took[len(took)*95/100]
}
