package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// healthTimeout is how long a server may take to say that it is well: it does nothing for it but answer.
const healthTimeout = 3 * time.Second

// healthCommand is "rcpt health". A container image with nothing but rcpt in it has no other program to ask with.
type healthCommand struct {
	Listen listenAddress `placeholder:"ADDR" default:"127.0.0.1:8080" help:"Address that the server listens on, HOST:PORT. Default: ${default}."`
}

// Run asks the server whether it is well.
func (c *healthCommand) Run(ctx context.Context, std terminal) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	url := "http://" + dialled(c.Listen) + "/healthz"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{} // no proxy: the server is on this machine
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answered %s", url, response.Status)
	}
	_, err = io.WriteString(std.out, "ok\n")
	return err
}

// dialled is where a server on this machine can be reached that listens on an address, which may name all interfaces. A host name is asked of the
// resolver, as the server did.
func dialled(listening listenAddress) string {
	host, port, _ := net.SplitHostPort(string(listening)) // was parsed before
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1" // a listener on all IPv6 addresses takes IPv4, too
	}
	return net.JoinHostPort(host, port)
}
