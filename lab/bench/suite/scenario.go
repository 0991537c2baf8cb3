package suite

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/lab/bench/world"
)

// scenario is a list in a world, and what to measure of the tools that verify
// it.
type scenario struct {
	name        string
	title       string
	spec        world.Spec
	concurrency int
	suggest     bool // domains for mistyped ones, as rcpt always does, by the others too that can
	figures     []figure
}

// The worlds' place: everybody dials port 25 there.
const (
	subnet   = 77
	smtpPort = 25
)

// scenarios are all that compare tools over a list.
func scenarios() []scenario {
	return slices.Concat(smallScenarios(), skewedScenarios(), wideScenarios())
}

// smallScenarios measure what an address costs, and hosts that are hard on us.
func smallScenarios() []scenario {
	return []scenario{
		{
			name: "single", title: "one address that exists, 100 ms a reply, cold", concurrency: 1,
			spec:    world.Spec{Addresses: 1, Domains: 1, Delay: 100 * time.Millisecond},
			figures: []figure{wallMillis(atMost(620))},
		}, {
			name: "distinct", title: "2,000 addresses in as many domains, 20 ms a reply, 200 at once", concurrency: 200,
			spec:    distinct(2_000, 20*time.Millisecond),
			figures: []figure{cpuPerAddress(atMost(0.5).of(yardstickTitle)), allocations(goal{}), peakMemory(goal{})},
		}, {
			name: "skewed", title: "2,000 addresses skewed over 300 domains, 20 ms a reply, 200 at once",
			concurrency: 200,
			spec:        skewed(2_000, 20*time.Millisecond),
			figures: []figure{
				cpuPerAddress(atMost(0.13).of(yardstickTitle)), connections(atMost(0.2)), roundTrips(atMost(0.8)),
				recipients(goal{}), queries(atMost(0.35)), allocations(goal{}), peakMemory(goal{}),
			},
		}, {
			name: "distinct-suggest", title: "as distinct, and AfterShip suggests domains for mistyped ones, too",
			concurrency: 200, suggest: true,
			spec:    distinct(2_000, 20*time.Millisecond),
			figures: []figure{cpuPerAddress(atMost(0.5).of(yardstickTitle))},
		}, {
			name: "skewed-suggest", title: "as skewed, and AfterShip suggests domains for mistyped ones, too",
			concurrency: 200, suggest: true,
			spec:    skewed(2_000, 20*time.Millisecond),
			figures: []figure{cpuPerAddress(atMost(0.13).of(yardstickTitle))},
		}, {
			name: "strict", title: "2,000 skewed addresses; hosts greylist and limit sessions, recipients and errors",
			concurrency: 200,
			spec:        strict(skewed(2_000, 20*time.Millisecond)),
			figures:     []figure{perSecond(goal{}), connections(goal{})},
		},
	}
}

// skewedScenarios are lists in which few mail hosts have most addresses.
func skewedScenarios() []scenario {
	skewedFast := skewed(20_000, 50*time.Millisecond)
	skewedSlow := skewedFast
	skewedSlow.MailboxMix.Slow, skewedSlow.MailboxMix.SlowDelay = 0.003, 2*time.Second
	skewedPatient := skewedFast
	skewedPatient.HostMix.MaxErrors = 0
	skewedPatientSlow := skewedSlow
	skewedPatientSlow.HostMix.MaxErrors = 0
	return []scenario{
		{
			name: "throughput", title: "20,000 addresses skewed over 300 domains, 50 ms a reply, 500 at once",
			concurrency: 500,
			spec:        skewedFast,
			figures: []figure{
				perSecond(atLeast(7).of(yardstickTitle)), connections(atMost(0.1)), recipients(goal{}),
				roundTrips(goal{}), cpuPerAddress(goal{}), peakMemory(goal{}),
			},
		}, {
			name: "patient", title: "20,000 as in throughput, and no host hangs up over refusals", concurrency: 500,
			spec: skewedPatient,
			figures: []figure{
				perSecond(atLeast(7).of(yardstickTitle)), connections(atMost(0.1)),
				recipients(goal{}), cpuPerAddress(goal{}),
			},
		}, {
			name: "slow", title: "20,000 as in throughput, and three mailboxes in a thousand answer after 2 s",
			concurrency: 500,
			spec:        skewedSlow,
			figures:     []figure{perSecond(atLeast(2.5).of(yardstickTitle)), cpuPerAddress(goal{})},
		}, {
			name: "patient-slow", title: "20,000 as in slow, and no host hangs up over refusals", concurrency: 500,
			spec:    skewedPatientSlow,
			figures: []figure{perSecond(atLeast(2.5).of(yardstickTitle)), cpuPerAddress(goal{})},
		},
	}
}

// wideScenarios are lists with many mail hosts.
func wideScenarios() []scenario {
	wideSlow, tarpits := wide(), wide()
	wideSlow.MailboxMix.Slow, wideSlow.MailboxMix.SlowDelay = 0.02, 3*time.Second
	tarpits.HostMix.Tarpits, tarpits.HostMix.TarpitDelay = 0.03, 3*time.Second
	return []scenario{
		{
			name: "wide",
			title: "20,000 addresses of 3,000 domains, 40 % at three hosts; " +
				"all hang up at twenty refusals and refuse a 51st session",
			concurrency: 500, spec: wide(),
			figures: []figure{
				perSecond(atLeast(7).of(yardstickTitle)), connections(atMost(0.1)),
				cpuPerAddress(goal{}), peakMemory(goal{}),
			},
		}, {
			name: "wide-slow", title: "20,000 as in wide, and two mailboxes in a hundred answer after 3 s",
			concurrency: 500,
			spec:        wideSlow,
			figures: []figure{
				perSecond(atLeast(1.2).of(yardstickTitle)), connections(goal{}), cpuPerAddress(goal{}),
			},
		}, {
			name:        "wide-tarpits",
			title:       "20,000 as in wide, and three hosts in a hundred answer each command after 3 s",
			concurrency: 500,
			spec:        tarpits,
			figures:     []figure{perSecond(goal{}), connections(goal{}), cpuPerAddress(goal{})},
		},
	}
}

// usual is what all but the simplest worlds have in common: a bit of
// everything.
func usual(addresses, domains int, delay time.Duration) world.Spec {
	return world.Spec{
		Addresses: addresses, Domains: domains, Delay: delay,
		DomainMix:  world.DomainMix{AcceptAll: 0.1, GreylistBefore: 0.03, GreylistAfter: 0.03, SecondMailHosts: 0.2},
		MailboxMix: world.MailboxMix{Unknown: 0.15, Full: 0.03, Disabled: 0.02},
		HostMix:    world.HostMix{NoPipelining: 0.1, Strict: 0.3, MaxRecipients: 100, MaxErrors: 20},
	}
}

func distinct(addresses int, delay time.Duration) world.Spec {
	return usual(addresses, addresses, delay)
}

func skewed(addresses int, delay time.Duration) world.Spec {
	spec := usual(addresses, 300, delay)
	spec.Skew, spec.Providers, spec.Hosted = 1, 8, 0.5
	return spec
}

// wide is a list of many domains of the same size. Three providers serve two
// fifths of them, 300 hosters the rest.
func wide() world.Spec {
	spec := usual(20_000, 3_000, 50*time.Millisecond)
	spec.Providers, spec.Hosted, spec.Hosters = 3, 0.4, 300
	spec.HostMix.Strict, spec.HostMix.SessionsPerClient = 1, 50
	return spec
}

// strict makes a world's hosts hard to ask.
func strict(spec world.Spec) world.Spec {
	spec.DomainMix.GreylistBefore, spec.DomainMix.GreylistAfter = 0.2, 0.2
	spec.HostMix = world.HostMix{NoPipelining: 0.2, Strict: 1, MaxRecipients: 5, MaxErrors: 5, SessionsPerClient: 10}
	return spec
}

// placed puts the scenario's world where it listens. A quick one is a smoke
// test: its figures mean little.
func (s scenario) placed(quick bool) scenario {
	s.spec.Seed, s.spec.Subnet, s.spec.Port = 1, subnet, smtpPort
	if quick {
		const scale = 40
		s.spec.Addresses = max(1, s.spec.Addresses/scale)
		s.spec.Domains = max(1, s.spec.Domains/scale)
	}
	return s
}
