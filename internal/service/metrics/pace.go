package metrics

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// troubles are why a provider is asked less than its limits allow.
var troubles = []pace.Trouble{pace.Blocked, pace.RateLimited, pace.Harvesting, pace.BudgetSpent}

// paceFigures are how each provider is asked, by its pacing name. Providers
// that are in no table are counted together: their names are those of
// strangers' domains.
func paceFigures() []figure[[]smtpprobe.ProviderPace] {
	known := setOf(provider.PacingNames()...)
	return []figure[[]smtpprobe.ProviderPace]{
		byProvider(known, "rcpt_pace_waiting", "Addresses that wait for a session with a provider; other: unknown providers.",
			func(p smtpprobe.ProviderPace) float64 { return float64(p.Waiting) }),
		byProvider(known, "rcpt_pace_sessions", "SMTP sessions with a provider, open or being opened; other: unknown providers.",
			func(p smtpprobe.ProviderPace) float64 { return float64(p.Sessions) }),
		byProvider(known, "rcpt_pace_sessions_allowed", "Sessions that a provider may have at the moment, of all egresses; 0: there is no limit; other: unknown providers.",
			func(p smtpprobe.ProviderPace) float64 { return float64(max(0, p.Allowed)) }),
		limited(known),
	}
}

// egressFigures are those of each egress, by its name in the configuration.
// Egresses of the same name are counted together; "direct" is the network as
// it is.
var egressFigures = []figure[[]smtpprobe.Egress]{
	byEgress("rcpt_egress_up", "1 while the egress works, as far as is known; 0: it does not, or it is being removed.", func(e smtpprobe.Egress) float64 {
		if e.Down || e.Leaving {
			return 0
		}
		return 1
	}),
	byEgress("rcpt_egress_sessions", "SMTP sessions by an egress, open or being opened.",
		func(e smtpprobe.Egress) float64 { return float64(e.Sessions) }),
}

func byEgress(name, help string, of func(smtpprobe.Egress) float64) figure[[]smtpprobe.Egress] {
	return labelled(prometheus.GaugeValue, name, help, []string{"egress"}, func(now []smtpprobe.Egress, show func(float64, ...string)) {
		sums := map[string]float64{}
		for _, e := range now {
			sums[cmp.Or(e.Name, "direct")] += of(e)
		}
		for egress, sum := range sums {
			show(sum, egress)
		}
	})
}

func byProvider(
	known set, name, help string, of func(smtpprobe.ProviderPace) float64,
) figure[[]smtpprobe.ProviderPace] {
	return labelled(prometheus.GaugeValue, name, help, []string{"provider"}, func(now []smtpprobe.ProviderPace, show func(float64, ...string)) {
		sums := map[string]float64{other: 0} // shown at zero, too, so that a graph has a line
		for _, p := range now {
			sums[known.word(p.Provider)] += of(p)
		}
		for provider, sum := range sums {
			show(sum, provider)
		}
	})
}

// limited counts the egresses for which a provider is paused or slowed, by the
// cause.
func limited(known set) figure[[]smtpprobe.ProviderPace] {
	const help = "Egresses through which a provider is paused or asked more slowly, by cause; other: unknown providers."
	return labelled(prometheus.GaugeValue, "rcpt_pace_limited", help, []string{"provider", "cause"}, func(now []smtpprobe.ProviderPace, show func(float64, ...string)) {
		type series struct {
			provider string
			cause    pace.Trouble
		}
		counts := map[series]int{}
		for _, cause := range troubles {
			counts[series{other, cause}] = 0
		}
		for _, p := range now {
			for _, cause := range troubles {
				if p.Paused == cause || p.Slowed == cause {
					counts[series{known.word(p.Provider), cause}]++
				}
			}
		}
		for s, n := range counts {
			show(float64(n), s.provider, string(s.cause))
		}
	})
}
