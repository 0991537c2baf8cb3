package smtpprobe

import (
	"context"
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// replyTLSRequired is the refusal of a host that insists on STARTTLS (RFC 3207
// §4).
const replyTLSRequired = 530

// route is a mail host of a domain.
type route struct {
	host   string
	addr   netip.AddrPort
	failed []string // extensions whose trial ended a session here: the address is asked once more without each
	last   bool     // no other route is known when this one fails
	others int      // that may be tried then, with one for each host that would be asked for more addresses
}

// routes are those of a domain, in order, within the limit of connections.
type routes struct {
	hosts       []Host // More is nil where it is not to be called any more
	port        uint16
	left        []route
	putOff      []string // hosts that refused us for the moment
	connections int
}

// newRoutes takes each address once: under another name it is the same machine,
// which has given its answer.
func newRoutes(hosts []Host, port uint16) routes {
	rs := routes{hosts: slices.Clone(hosts), port: port}
	for _, h := range hosts {
		for _, addr := range h.Addrs {
			known := func(r route) bool { return r.addr.Addr().Unmap() == addr.Unmap() }
			if len(rs.left) < maxRoutes && !slices.ContainsFunc(rs.left, known) {
				rs.left = append(rs.left, rs.route(h.Name, addr))
			}
		}
	}
	return rs
}

func (rs *routes) route(host string, addr netip.Addr) route {
	return route{host: host, addr: netip.AddrPortFrom(addr, rs.port)}
}

// provider is the name under which the provider of the host is paced.
func (r route) provider() string { return provider.Pacing(r.host, r.addr.Addr()).Provider }

func to(host string) func(route) bool { return func(r route) bool { return r.host == host } }

// wantsMore returns the host that was asked last if it is to be looked up for
// more addresses, now that none is left.
func (rs *routes) wantsMore(host string) *Host {
	i := slices.IndexFunc(rs.hosts, func(h Host) bool { return h.Name == host && h.More != nil })
	if i < 0 || slices.ContainsFunc(rs.left, to(host)) || rs.connections == maxConnections {
		return nil
	}
	return &rs.hosts[i]
}

// add looks a host up for more addresses, and puts them first.
func (rs *routes) add(ctx context.Context, h *Host) error {
	addrs := h.More(ctx)
	h.More = nil
	if err := checkAddrs(h.Name, addrs); err != nil {
		return err
	}
	var first []route
	for _, addr := range addrs {
		if len(first) < maxMore && !rs.knows(addr) {
			h.Addrs = append(slices.Clip(h.Addrs), addr)
			first = append(first, rs.route(h.Name, addr))
		}
	}
	rs.left = append(first, rs.left...)
	return nil
}

func (rs *routes) knows(addr netip.Addr) bool {
	same := func(other netip.Addr) bool { return other.Unmap() == addr.Unmap() }
	return slices.ContainsFunc(rs.hosts, func(h Host) bool { return slices.ContainsFunc(h.Addrs, same) })
}

// next returns the next route to try.
func (rs *routes) next() (route, bool) {
	if len(rs.left) == 0 || rs.connections == maxConnections {
		return route{}, false
	}
	r := rs.left[0]
	rs.left = rs.left[1:]
	rs.connections++
	r.others = len(rs.left)
	for _, h := range rs.hosts {
		if h.More != nil && (h.Name == r.host || slices.ContainsFunc(rs.left, to(h.Name))) {
			r.others++
		}
	}
	r.others = min(r.others, maxConnections-rs.connections)
	r.last = len(rs.left) == 0 || rs.connections == maxConnections
	return r, true
}

// again puts a route in front that was not asked.
func (rs *routes) again(r route) {
	rs.left = append([]route{r}, rs.left...)
	rs.connections--
}

// learn draws the consequence of a session. A host that answered, but could not
// be used, would do no better at more addresses.
func (rs *routes) learn(r route, told result) {
	s := told.session
	if told.offline {
		rs.connections--
	}
	next := whatNext(s)
	if next == sameRoute && slices.Contains(r.failed, s.Trial) {
		next = nextRoute
	}
	notAsked := s.Failure != nil && (s.Failure.Kind == smtp.KindPaused || s.Failure.Kind == smtp.KindLimited)
	answered := s.Greeting != nil || notAsked
	if answered && s.Failure != nil && s.Trial == "" {
		for i := range rs.hosts {
			if rs.hosts[i].Name == r.host {
				rs.hosts[i].More = nil
			}
		}
	}
	if next == nextRoute && s.Failure == nil {
		rs.putOff = append(rs.putOff, r.host)
	}
	if (next == nothing || next == nextProvider) && s.Target == nil && slices.Contains(rs.putOff, r.host) {
		next = nextRoute // one address refuses us that may answer later at another
	}
	switch next {
	case nothing:
		rs.left, rs.hosts = nil, nil
	case sameRoute:
		again := r
		again.failed = append(slices.Clip(r.failed), s.Trial)
		rs.left = append([]route{again}, rs.left...)
	case nextProvider:
		own := r.provider()
		rs.left, rs.hosts = slices.DeleteFunc(rs.left, func(o route) bool { return o.provider() == own }), nil
	case nextHost:
		rs.left = slices.DeleteFunc(rs.left, to(r.host))
	case nextRoute:
	}
}

// move is what follows a session.
type move int

const (
	nothing      move = iota // there is an answer
	nextRoute                // another address or host may do better
	nextHost                 // another host may do better, and no other address of this one
	nextProvider             // a host of another provider may do better: this one refused us
	sameRoute                // the same address once more, without the extension on whose trial the session ended
)

// whatNext decides on failover: another route is tried only when this one could
// not be used, refused for the moment before RCPT, or lacks the extension that
// the target needs, which another mail exchanger may have. A permanent refusal
// of the session stands for all hosts of its provider. Any answer to RCPT for
// the target, and a permanent refusal of MAIL, stand for all of the domain.
func whatNext(s *Session) move {
	switch {
	case s.Target != nil:
		return nothing
	case s.Trial != "":
		return sameRoute
	}
	if f := s.Failure; f != nil {
		if f.Kind == smtp.KindSMTPUTF8 {
			return nextHost
		}
		return nextRoute
	}
	for _, reply := range []*smtp.Reply{s.MAIL, s.EHLO, s.Greeting, s.STARTTLS} { // the last that can refuse
		if reply == nil || !reply.Refused() {
			continue
		}
		if reply.Code < 500 || reply.Code == replyTLSRequired && s.tlsUnusable() {
			return nextRoute
		}
		if s.MAIL == nil {
			return nextProvider
		}
		return nothing
	}
	return nothing
}
