package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// resolverTimeout bounds the look-up of a DNS server's own name.
const resolverTimeout = 3 * time.Second

// checkResolvers refuses DNS servers given by a name that the system says does
// not exist: every answer would be unknown, with the blame on the domain's DNS.
// Where the system cannot tell now, as at boot, the server may still come up.
func checkResolvers(servers []string, lookUp func(context.Context, string) ([]string, error)) error {
	for _, server := range servers {
		host, _, err := net.SplitHostPort(withPort(server))
		if err != nil {
			continue
		}
		if _, err := netip.ParseAddr(host); err == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), resolverTimeout)
		_, err = lookUp(ctx, host)
		cancel()
		if failed := new(net.DNSError); errors.As(err, &failed) && failed.IsNotFound {
			return fmt.Errorf("--resolver %s: there is no host %s: write the address of a DNS server, such as 192.0.2.53", server, host)
		}
	}
	return nil
}
