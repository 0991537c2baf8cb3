package dnsresolve

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/miekg/dns"
)

const (
	// localServer is used if resolv.conf is missing or names no server
	// (resolv.conf(5)).
	localServer = "127.0.0.1"
	defaultPort = "53"
)

// errNoServers is the error of systems that name no server.
var errNoServers = errors.New("the system names no DNS server")

// system returns the name servers of the system and their port.
type system func() (hosts []string, port string, err error)

// servers are the resolvers, HOST:PORT. The first to ask is the last one that
// was not silent.
type servers struct {
	all   []string
	first atomic.Int32
}

// inOrder returns the servers in the order to ask them.
func (s *servers) inOrder() []string {
	first := int(s.first.Load())
	return slices.Concat(s.all[first:], s.all[:first])
}

// demote moves the first place on if server has it.
func (s *servers) demote(server string) {
	first := s.first.Load()
	if s.all[first] == server {
		s.first.CompareAndSwap(first, (first+1)%int32(len(s.all)))
	}
}

// addresses returns the configured servers, or the system's, as HOST:PORT.
func addresses(configured []string, ofSystem system) ([]string, error) {
	port := defaultPort
	if len(configured) == 0 {
		var err error
		if configured, port, err = ofSystem(); err != nil {
			return nil, fmt.Errorf("dnsresolve: %w: configure one", err)
		}
	}
	var all []string
	for _, server := range configured {
		address, err := address(server, port)
		if err != nil {
			return nil, err
		}
		all = append(all, address)
	}
	return all, nil
}

// fileServers reads the name servers and their port from a resolv.conf(5).
func fileServers(file string) (hosts []string, port string, err error) {
	config, err := dns.ClientConfigFromFile(file)
	if err != nil || len(config.Servers) == 0 {
		return []string{localServer}, defaultPort, nil
	}
	return config.Servers, config.Port, nil
}

// address appends the port to HOST, which may be an IPv6 address with or
// without brackets.
func address(server, port string) (string, error) {
	host := server
	if _, err := netip.ParseAddr(server); err != nil {
		if h, p, err := net.SplitHostPort(server); err == nil {
			host, port = h, p
		} else {
			host = strings.TrimSuffix(strings.TrimPrefix(server, "["), "]")
		}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" || strings.ContainsAny(host, "[] /") {
		return "", fmt.Errorf("dnsresolve: server %q is not HOST or HOST:PORT", server)
	}
	return net.JoinHostPort(host, port), nil
}
