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
	return all, nil
}

// MailDialer returns what opens the connections to mail hosts: the egresses
// that Proxies and SourceIPs name, or else Dialer; nil means a net.Dialer.
func (c Config) MailDialer() (smtpprobe.Dialer, error) {
	all, err := c.egresses()
	if err != nil || len(all) == 0 {
		return c.Dialer, err
	}
	return all, nil
}
