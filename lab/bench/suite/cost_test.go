package suite

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/lab/bench/world"
)

// costWorlds are worlds that differ in what decides how a host is best asked.
func costWorlds() []scenario {
	few, many, wide := skewed(2_000, 20*time.Millisecond), skewed(20_000, 50*time.Millisecond), wide()
	patient := with(many, func(s *world.Spec) { s.HostMix.MaxErrors = 0 })
	postfix := with(few, func(s *world.Spec) { s.HostMix.Strict, s.HostMix.SoftErrors = 0.7, 10 })
	oneByOne := with(few, func(s *world.Spec) { s.HostMix.NoPipelining, s.Providers = 1, 0 })
	slow := with(many, func(s *world.Spec) { s.MailboxMix.Slow, s.MailboxMix.SlowDelay = 0.003, 2*time.Second })
	tarpits := with(wide, func(s *world.Spec) { s.HostMix.Tarpits, s.HostMix.TarpitDelay = 0.03, 3*time.Second })
	return []scenario{
		{name: "skewed", spec: few, concurrency: 200},
		{name: "skewed, 2 % dead", spec: dead(few, 0.02), concurrency: 200},
		{name: "skewed, 40 % dead", spec: dead(few, 0.4), concurrency: 200},
		{name: "skewed, 90 % dead", spec: dead(few, 0.9), concurrency: 200},
		{name: "skewed, no PIPELINING", spec: oneByOne, concurrency: 200},
		{name: "Postfix", spec: postfix, concurrency: 200},
		{name: "Postfix, 40 % dead", spec: dead(postfix, 0.4), concurrency: 200},
		{name: "strict", spec: strict(few), concurrency: 200},
		{name: "distinct", spec: distinct(2_000, 20*time.Millisecond), concurrency: 200},
		{name: "throughput", spec: many, concurrency: 500},
		{name: "throughput, 40 % dead", spec: dead(many, 0.4), concurrency: 500},
		{name: "patient", spec: patient, concurrency: 500},
		{name: "patient, 40 % dead", spec: dead(patient, 0.4), concurrency: 500},
		{name: "slow", spec: slow, concurrency: 500},
		{name: "wide", spec: wide, concurrency: 500},
		{name: "wide, 40 % dead", spec: dead(wide, 0.4), concurrency: 500},
		{name: "wide, tarpits", spec: tarpits, concurrency: 500},
	}
}

func with(spec world.Spec, change func(*world.Spec)) world.Spec {
	change(&spec)
	return spec
}

// dead is a world in which such a share of the mailboxes does not exist.
func dead(spec world.Spec, share float64) world.Spec {
	spec.MailboxMix.Unknown = share
	return spec
}

// TestCost tells what an address costs in many worlds, in fake time: with -v,
// the judge of whether a rule of smtpprobe is worth having. It fails if an
// answer is false or a host is treated rudely, or if more than an eighth stays
// without one: no host here has a postmaster, so that a list of dead mailboxes
// has no proof for its refusals.
func TestCost(t *testing.T) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintln(out, "world\tseed\ttook\tconnections\tround trips\tRCPT\tunsettled\t")
	for _, s := range costWorlds() {
		for seed := uint64(1); seed <= 2; seed++ {
			s = s.placed(false)
			s.spec.Seed = seed
			synctest.Test(t, func(t *testing.T) {
				took, told, counted := simulate(t, s)
				n := float64(s.spec.Addresses)
				fmt.Fprintf(out, "%s\t%d\t%.2fs\t%.3f\t%.3f\t%.3f\t%.4f\t\n", s.name, seed, took.Seconds(),
					float64(counted.Connections)/n, float64(counted.RoundTrips())/n, float64(counted.Commands["RCPT"])/n,
					float64(told.unsettled)/n)
				if told.falselyUndeliverable > 0 || counted.NoQUIT > 0 || counted.PeakPerHost > 20 || float64(told.unsettled) > n/8 {
					t.Errorf("%s, seed %d: %+v, %+v", s.name, seed, told, counted)
				}
			})
		}
	}
}
