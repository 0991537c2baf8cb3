package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// engineFigures are the figures of the session pool and of the providers that
// it pauses or slows down.
func engineFigures() []figure[engine.Stats] {
	known := setOf(slices.Concat(provider.Names(), provider.PacingNames())...)
	return []figure[engine.Stats]{
		gauge("rcpt_smtp_pool_sessions", "SMTP sessions that are open or being opened.", func(s engine.Stats) float64 { return float64(s.SMTP.Sessions) }),
		gauge("rcpt_smtp_pool_idle_sessions", "SMTP sessions that are kept for the next recipient.", func(s engine.Stats) float64 { return float64(s.SMTP.Idle) }),
		gauge("rcpt_smtp_pool_probes", "Addresses that a session is asking about.", func(s engine.Stats) float64 { return float64(s.SMTP.UnderWay) }),
		gauge("rcpt_smtp_pool_waiting_probes", "Addresses that wait for a session with their mail host.",
			func(s engine.Stats) float64 { return float64(s.SMTP.Waiting) }),
		gauge("rcpt_smtp_pool_hosts", "Mail hosts that the pool keeps state for.", func(s engine.Stats) float64 { return float64(s.SMTP.Hosts) }),
		networkFailed,
		pausedProviders(known, "rcpt_smtp_paused", "Providers that are paused because they block us, counted for each egress; other: mail hosts of unknown providers.",
			func(s smtpprobe.Paused) bool { return !s.Until.IsZero() }),
		pausedProviders(known, "rcpt_smtp_slowed", "Providers that are probed more slowly because they said that we were too fast, counted for each egress; other: mail hosts of unknown providers.",
			func(s smtpprobe.Paused) bool { return s.Interval > 0 && s.Until.IsZero() }),
	}
}

// networkFailed is 1 for a failed check of our own network. A check that is
// off, or was not made yet, has not failed.
var networkFailed = labelled(prometheus.GaugeValue, "rcpt_network_check_failed", "1 while the check fails: the DNS resolver is unreliable (resolver), or no mail host can be reached (port).",
	[]string{"check"}, func(now engine.Stats, show func(float64, ...string)) {
		for name, check := range map[string]engine.Check{"resolver": now.Network.Resolver, "port": now.Network.Port} {
			failed := 0.0
			if check.State == engine.CheckFailed {
				failed = 1
			}
			show(failed, name)
		}
	})

// pausedProviders counts the providers that are paused or slowed, by name. The
// pool knows mail hosts of unknown providers by their address; here they are
// counted together.
func pausedProviders(known set, name, help string, counts func(smtpprobe.Paused) bool) figure[engine.Stats] {
	return labelled(prometheus.GaugeValue, name, help, []string{"provider"}, func(now engine.Stats, show func(float64, ...string)) {
		number := map[string]int{other: 0} // shown at zero, too, so that a graph has a line
		for _, s := range now.SMTP.Paused {
			if counts(s) {
				number[known.word(s.Provider)]++
			}
		}
		for provider, n := range number {
			show(float64(n), provider)
		}
	})
}
