package engine

import (
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// egresses returns the egresses that the configuration names; none means the
// network as it is.
func (c Config) egresses() (egress.Egresses, error) {
	var all egress.Egresses
	for _, address := range c.Proxies {
		way, err := egress.Proxy(address, c.Dialer)
		if err != nil {
			return nil, invalid("Proxies", err)
		}
		all = append(all, way)
	}
	if len(c.SourceIPs) > 0 && c.Dialer != nil {
		return nil, invalidf("SourceIPs", "a Dialer chooses its own source address: leave out one of the two")
	}
	for _, ip := range c.SourceIPs {
		way, err := egress.SourceIP(ip)
		if err != nil {
			return nil, invalid("SourceIPs", err)
		}
		all = append(all, way)
	}
	return append(all, c.Egresses...), nil
}

// SetEgresses replaces the Egresses and Routes of the [Config]. New ones get
// their share of the mail hosts. Those that are gone open no session any more;
// theirs end with QUIT after the questions under way, and verifications that
// waited for one go on by another egress. An error changes nothing.
func (v *Verifier) SetEgresses(all egress.Egresses, routes map[string][]string) error {
	if v.pool == nil {
		return nil
	}
	config := v.config
	config.Egresses = all
	ways, err := config.egresses()
	if err != nil {
		return err
	}
	return v.pool.SetEgresses(ways, routes)
}

// Egresses returns the state of each egress. Like [Verifier.Stats], it is for
// monitoring.
func (v *Verifier) Egresses() []smtpprobe.Egress {
	if v.pool == nil {
		return nil
	}
	return v.pool.Egresses()
}

// MailDialer returns what opens the connections to mail hosts: the egresses of
// the configuration, or else Dialer; nil means a net.Dialer.
func (c Config) MailDialer() (smtpprobe.Dialer, error) {
	all, err := c.egresses()
	if err != nil || len(all) == 0 {
		return c.Dialer, err
	}
	return all, nil
}
