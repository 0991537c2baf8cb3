package engine

import (
	"fmt"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// egresses returns the egresses that the configuration names; none means the
// network as it is.
func (c Config) egresses() (egress.Egresses, error) {
	all, err := egress.All(c.Proxies, c.SourceIPs, c.Egresses, c.Dialer)
	if err != nil {
		return nil, fmt.Errorf("engine: Config.%w", err)
	}
	return all, nil
}

// SetEgresses replaces the Egresses and Routes of the [Config]. New ones get
// their share of the mail hosts. Those that are gone open no session any more;
// theirs end with QUIT after the questions under way, and verifications that
// waited for one go on by another egress. An error changes nothing.
//
// Experimental: it may change in any minor version.
func (v *Verifier) SetEgresses(all egress.Egresses, routes map[string][]string) error {
	if v.pool == nil {
		return nil
	}
	config := v.config
	config.Egresses = all
	egresses, err := config.egresses()
	if err != nil {
		return err
	}
	return v.pool.SetEgresses(egresses, routes)
}

// Egresses returns the state of each egress. Like [Verifier.Stats], it is for
// monitoring.
//
// Experimental: it may change in any minor version.
func (v *Verifier) Egresses() []smtpprobe.Egress {
	if v.pool == nil {
		return nil
	}
	return v.pool.Egresses()
}
