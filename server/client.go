package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddr returns where a request comes from, as the limits see it: for
// pages beside the API.
func (s *Server) ClientAddr(r *http.Request) netip.Addr { return s.clientAddr(r) }

// clientAddr returns where a request comes from: the peer, or what the last
// reverse proxy that we trust says about its own peer. It is invalid for a peer
// without an address.
func (s *Server) clientAddr(r *http.Request) netip.Addr {
	client := peerOf(r)
	if !s.isProxy(client) {
		return client
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for len(hops) > 0 && s.isProxy(client) {
		before, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
		if err != nil {
			break
		}
		client, hops = before.Unmap().WithZone(""), hops[:len(hops)-1]
	}
	return client
}

// peerOf is the other end of the connection.
func peerOf(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap().WithZone("")
}

// isProxy reports whether the address is one of our reverse proxies, which are
// trusted to say where a request comes from.
func (s *Server) isProxy(addr netip.Addr) bool {
	for _, network := range s.config.TrustedProxies {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
