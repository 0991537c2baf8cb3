package engine

import (
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// Stats is what a [Verifier] is doing, and has done since it was made.
//
// Experimental: it may change in any minor version.
type Stats struct {
	DNS  dnsresolve.Stats
	SMTP smtpprobe.Stats
	// Network is how our own network does.
	Network NetworkStatus
}

// Stats returns current figures. It briefly takes the lock of the sessions, so
// it is for monitoring and not for every verification.
//
// Experimental: it may change in any minor version.
func (v *Verifier) Stats() Stats {
	if v.resolver == nil {
		return Stats{Network: v.Network()}
	}
	return Stats{DNS: v.resolver.Stats(), SMTP: v.pool.Stats(), Network: v.Network()}
}

// Pacing tells how each provider is asked at the moment, and which limits hold
// there. Like [Verifier.Stats], it is for monitoring.
//
// Experimental: it may change in any minor version.
func (v *Verifier) Pacing() []smtpprobe.ProviderPace {
	if v.pool == nil {
		return nil
	}
	return v.pool.Pacing()
}

// Paced returns the provider that is asked about the mailboxes of a domain, by
// the name that it has in [Verifier.Pacing]; empty: the mail hosts of the
// domain are not known at the moment. Nobody is asked.
//
// Experimental: it may change in any minor version.
func (v *Verifier) Paced(domain string) string {
	if v.pool == nil || v.resolver == nil {
		return ""
	}
	found, _ := v.resolver.Known(domain)
	for _, host := range found.Hosts {
		for _, addr := range host.Addrs {
			return provider.Pacing(host.Name, addr.IP).Provider
		}
	}
	return ""
}

// PaceMemory returns what is worth keeping of how providers were asked, for
// [Config.PaceMemory] of a later Verifier.
//
// Experimental: it may change in any minor version.
func (v *Verifier) PaceMemory() []pace.Memory {
	if v.pool == nil {
		return nil
	}
	return v.pool.PaceMemory()
}
