package api

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// ClientAddr returns the address of the client of a request, as the limits use
// it. It is for the pages outside of the API.
func (s *Server) ClientAddr(r *http.Request) netip.Addr { return s.clientAddr(r) }

// clientAddr returns the address of the client of a request: the peer, or the
// address that the last trusted reverse proxy gives. It is invalid for a peer
// without an address.
func (s *Server) clientAddr(r *http.Request) netip.Addr {
	client := peerOf(r)
	if !s.isProxy(client) {
		if r.Header["X-Forwarded-For"] != nil {
			s.notTrusted(client)
		}
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

// forwarder is a peer that sent X-Forwarded-For and is not one of
// [Config.TrustedProxies]: a reverse proxy that they lack, or a client that
// claims another address.
type forwarder struct {
	peer  netip.Addr
	since time.Time
}

// NotTrusted returns the first peer that sent X-Forwarded-For and is not one of
// [Config.TrustedProxies], and when it did. The address is invalid if there was
// none.
func (s *Server) NotTrusted() (peer netip.Addr, since time.Time) {
	if f := s.forwarder.Load(); f != nil {
		return f.peer, f.since
	}
	return netip.Addr{}, time.Time{}
}

// notTrusted notes a peer, and logs the first. If it is a reverse proxy, all of
// its clients share its address.
func (s *Server) notTrusted(peer netip.Addr) {
	if s.forwarder.Load() != nil || !s.forwarder.CompareAndSwap(nil, &forwarder{peer, time.Now()}) {
		return
	}
	s.config.Logger.Warn("X-Forwarded-For is not believed from this peer: "+
		"if it is your reverse proxy, name it with --trusted-proxy, or all of its clients count as one",
		slog.String("peer", peer.String()))
}

// peerOf is the other end of the connection.
func peerOf(r *http.Request) netip.Addr { return addrOf(r.RemoteAddr) }

// addrOf is the address in a text with a port; it is invalid if the text has no
// address.
func addrOf(hostPort string) netip.Addr {
	peer, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap().WithZone("")
}

// isProxy reports whether the address is one of the trusted reverse proxies.
func (s *Server) isProxy(addr netip.Addr) bool {
	for _, network := range s.config.TrustedProxies {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
