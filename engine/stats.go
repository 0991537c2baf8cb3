package engine

import (
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
)

// Stats is what a [Verifier] is busy with, and what it has done since it was made.
type Stats struct {
	DNS  dnsresolve.Stats
	SMTP smtpprobe.Stats
	// Network is how our own network does.
	Network NetworkStatus
}

// Stats counts. It takes a lock of the sessions for a moment: it is for monitoring, not for every verification.
func (v *Verifier) Stats() Stats {
	if v.resolver == nil {
		return Stats{Network: v.Network()}
	}
	return Stats{DNS: v.resolver.Stats(), SMTP: v.pool.Stats(), Network: v.Network()}
}
