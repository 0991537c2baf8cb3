//go:build e2e && linux

package e2e

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

var faultKinds = map[string]dnstest.Kind{
	"servfail": dnstest.ServFail, "refused": dnstest.Refused, "formerr": dnstest.FormErr,
	"nxdomain": dnstest.NXDomain, "lose": dnstest.Lose,
	"truncate": dnstest.Truncate, "malformed": dnstest.Malformed,
}

// faulty tells whether the domain is served by a name server that fails.
func (s *situation) faulty() bool {
	return slices.ContainsFunc(s.config, func(line string) bool { return strings.HasPrefix(line, "fault ") })
}

// startFaultyDNS starts the name servers that fail, in this process.
func (w *world) startFaultyDNS() error {
	for _, s := range w.situations["dns"] {
		if !s.faulty() {
			continue
		}
		server, err := s.nameServer()
		if err != nil {
			return fmt.Errorf("%s: %w", s.slug, err)
		}
		if err := serveDNS(s.ip.String(), server); err != nil {
			return err
		}
	}
	return nil
}

func (s *situation) nameServer() (*dnstest.Server, error) {
	zone := "$ORIGIN " + s.domain() + ".\n@ NS ns\nns A " + s.ip.String() + "\n"
	var faults []dnstest.Fault
	for _, line := range s.config {
		words := strings.Fields(line)
		if words[0] != "fault" {
			zone += line + "\n"
			continue
		}
		kind, ok := faultKinds[words[1]]
		if !ok {
			return nil, fmt.Errorf("unknown fault %q", words[1])
		}
		faults = append(faults, dnstest.Fault{Kind: kind, Type: strings.Join(words[2:], " ")})
	}
	server := dnstest.New(zone)
	for _, fault := range faults {
		server.Break(fault)
	}
	return server, nil
}

// serveDNS answers on port 53 of ip as an authoritative server: a resolver
// believes no other.
func serveDNS(ip string, server *dnstest.Server) error {
	packets, err := net.ListenPacket("udp", ip+":53")
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", ip+":53")
	if err != nil {
		return err
	}
	handler := func(network string) dns.HandlerFunc {
		return func(w dns.ResponseWriter, query *dns.Msg) {
			ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
			defer cancel()
			asked, err := query.Pack()
			if err != nil {
				return
			}
			wire, err := server.Exchange(ctx, asked, network, ip)
			answer := new(dns.Msg)
			if err != nil || answer.Unpack(wire) != nil {
				return
			}
			answer.Authoritative, answer.RecursionAvailable = true, false
			_ = w.WriteMsg(answer)
		}
	}
	go (&dns.Server{PacketConn: packets, Handler: handler("udp")}).ActivateAndServe()
	go (&dns.Server{Listener: listener, Handler: handler("tcp")}).ActivateAndServe()
	return nil
}
