// Package listen listens at addresses that users give as flags, and tells what
// only this machine reaches from what others do.
package listen

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// On listens at the address of a flag. The error names the flag.
func On(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		const format = "%s %s: address already in use: stop the other program, or use another port"
		return nil, fmt.Errorf(format, flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// Reachable returns addr as a client on this machine can use it.
func Reachable(addr net.Addr) string {
	listening, err := netip.ParseAddrPort(addr.String())
	if err == nil && listening.Addr().IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(int(listening.Port())))
	}
	return addr.String()
}

// IsLoopback reports whether only this machine reaches an address.
func IsLoopback(listening net.Addr) bool {
	address, err := netip.ParseAddrPort(listening.String())
	return err == nil && address.Addr().Unmap().IsLoopback()
}

// OnlyLoopbackHosts refuses requests for another host. A page of another site
// could have a browser on this machine send them, with a name of its own that
// it makes lead to 127.0.0.1 (DNS rebinding).
func OnlyLoopbackHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if !strings.EqualFold(host, "localhost") && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "ask for a loopback address", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
