// Package egresses makes the egresses that an engine.Config names: the engine
// uses them, and the doctor examines them.
package egresses

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// Of returns an egress for each proxy and each source address, and the named
// ones; none means the network as it is. Proxies are reached by the dialer, if
// there is one. Errors begin with the field of the Config.
func Of(
	proxies []*url.URL, sourceIPs []netip.Addr, named egress.Egresses, dialer egress.Dialer,
) (egress.Egresses, error) {
	var all egress.Egresses
	for _, address := range proxies {
		way, err := egress.Proxy(address, dialer)
		if err != nil {
			return nil, fmt.Errorf("Proxies: %w", err)
		}
		all = append(all, way)
	}
	if len(sourceIPs) > 0 && dialer != nil {
		return nil, errors.New("SourceIPs: a Dialer chooses its own source address: leave out one of the two")
	}
	for _, ip := range sourceIPs {
		way, err := egress.SourceIP(ip)
		if err != nil {
			return nil, fmt.Errorf("SourceIPs: %w", err)
		}
		all = append(all, way)
	}
	return append(all, named...), nil
}
