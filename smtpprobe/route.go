package smtpprobe

import (
	"context"
	"net/netip"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// replyTLSRequired is the refusal of a host that insists on STARTTLS (RFC 3207
// §4).
const replyTLSRequired = 530

// route is one way to reach a domain's mail.
type route struct {
	host   string
	addr   netip.AddrPort
	egress int  // of the pool's, or noEgress
	plain  bool // without STARTTLS, because that failed on this address
	last   bool // no other route is known when this one fails
	others int  // that may be tried then, with one for each host that would be asked for more addresses
}

// tour goes through the routes in order, within the limit of connections.
type tour struct {
	hosts       []Host
	port        uint16
	ways        egress.Egresses
	routes      []route
	finished    []string     // hosts that are not asked for more addresses: they have been, or would do no better there
	added       []netip.Addr // that the others had
	putOff      []string     // hosts that have refused us for the moment over IPv4
	connections int
}

// newTour takes each address once: under another name it is the same machine,
// which has given its answer.
func newTour(hosts []Host, port uint16, ways egress.Egresses) tour {
	t := tour{hosts: hosts, port: port, ways: ways}
	for _, h := range hosts {
		for _, addr := range h.Addrs {
			known := func(r route) bool { return r.addr.Addr().Unmap() == addr.Unmap() }
			if len(t.routes) < maxRoutes && !slices.ContainsFunc(t.routes, known) {
				t.routes = append(t.routes, t.route(h.Name, addr))
			}
		}
	}
	return t
}

func (t *tour) route(host string, addr netip.Addr) route {
	return route{host: host, addr: netip.AddrPortFrom(addr, t.port), egress: t.ways.Choose(addr)}
}

// wantsMore reports whether a host is to be asked for more addresses, now that
// none is left.
func (t *tour) wantsMore(host string) bool {
	return t.more(host) != nil && !slices.ContainsFunc(t.routes, to(host)) && t.connections < maxConnections
}

// more is what jobs a host for more addresses; nil: there is nothing to ask, or
// no sense in it.
func (t *tour) more(host string) func(context.Context) []netip.Addr {
	i := slices.IndexFunc(t.hosts, func(h Host) bool { return h.Name == host && h.More != nil })
	if i < 0 || slices.Contains(t.finished, host) {
		return nil
	}
	return t.hosts[i].More
}

func to(host string) func(route) bool { return func(r route) bool { return r.host == host } }

// prolong jobs for more addresses of a host, and puts them first.
func (t *tour) prolong(ctx context.Context, left *budget, host string) error {
	more := t.more(host)
	t.finished = append(t.finished, host)
	ctx, cancel := left.part(ctx, len(t.routes) > 0)
	defer cancel()
	addrs := more(ctx)
	if err := checkAddrs(host, addrs); err != nil {
		return err
	}
	var first []route
	for _, addr := range addrs {
		if len(first) < maxMore && !t.knows(addr) {
			t.added = append(t.added, addr)
			first = append(first, t.route(host, addr))
		}
	}
	t.routes = append(first, t.routes...)
	return nil
}

// knows reports whether an address is, or was, part of the tour.
func (t *tour) knows(addr netip.Addr) bool {
	same := func(other netip.Addr) bool { return other.Unmap() == addr.Unmap() }
	return slices.ContainsFunc(t.added, same) || slices.ContainsFunc(t.hosts, func(h Host) bool { return slices.ContainsFunc(h.Addrs, same) })
}

// next returns the next route to try.
func (t *tour) next() (route, bool) {
	if len(t.routes) == 0 || t.connections == maxConnections {
		return route{}, false
	}
	r := t.routes[0]
	t.routes = t.routes[1:]
	t.connections++
	r.last = len(t.routes) == 0 || t.connections == maxConnections
	r.others = t.others(r.host)
	return r, true
}

// others is how many connections may follow one to a host.
func (t *tour) others(host string) int {
	n := len(t.routes)
	for _, h := range t.hosts {
		if t.more(h.Name) != nil && (h.Name == host || slices.ContainsFunc(t.routes, to(h.Name))) {
			n++
		}
	}
	return min(n, maxConnections-t.connections)
}

// learn draws the consequence of a session.
func (t *tour) learn(r route, told result) {
	if told.offline {
		t.connections--
	}
	switch t.weigh(r, told.session) {
	case nothing:
		t.routes, t.hosts = nil, nil
	case samePlain:
		again := r
		again.plain = true
		t.routes = append([]route{again}, t.routes...)
	case nextHost:
		t.routes = slices.DeleteFunc(t.routes, func(other route) bool { return other.host == r.host })
	case nextRoute:
	}
}

// weigh is whatNext in the light of what the host's other addresses have said,
// and notes whether it is to be asked for more.
func (t *tour) weigh(r route, s *Session) move {
	next, over4 := whatNext(s), r.addr.Addr().Unmap().Is4()
	switch {
	case next == nextHost, next == nextRoute && s.Failure != nil && (s.Greeting != nil || s.Failure.Kind == smtp.KindPaused):
		t.finished = append(t.finished, r.host)
	case next == nextRoute && s.Failure == nil && over4:
		t.putOff = append(t.putOff, r.host)
	case next == nothing && s.Target == nil && !over4 && slices.Contains(t.putOff, r.host):
		return nextRoute // hosts ask more of us over IPv6: to be refused there is not the last word of one that may answer later
	}
	return next
}

// move is what follows a session.
type move int

const (
	nothing   move = iota // there is an answer
	nextRoute             // another address or host may do better
	nextHost              // another host may do better, and no other address of this one
	samePlain             // the same address once more, without TLS
)

// whatNext decides on failover: another route is tried only when this one could
// not be used, refused for the moment before RCPT, or lacks the extension that
// the target needs, which another mail exchanger may have. Any answer to RCPT
// for the target, and a permanent refusal before it, stand for all hosts of the
// domain.
func whatNext(s *Session) move {
	switch {
	case s.Target != nil:
		return nothing
	case s.Failure != nil:
		return afterFailure(s.Failure)
	default:
		return afterRefusal(s)
	}
}

func afterFailure(f *smtp.Failure) move {
	switch {
	case f.Kind == smtp.KindSMTPUTF8:
		return nextHost
	case f.Kind == smtp.KindTLS && f.Phase == smtp.PhaseSTARTTLS:
		return samePlain
	default:
		return nextRoute
	}
}

// afterRefusal looks at the reply that refused: the last of those that can.
func afterRefusal(s *Session) move {
	for _, reply := range []*smtp.Reply{s.MAIL, s.EHLO, s.Greeting, s.STARTTLS} {
		if reply == nil || reply.Code < 400 {
			continue
		}
		if reply.Code < 500 || reply.Code == replyTLSRequired && s.tlsUnusable() {
			return nextRoute
		}
		return nothing
	}
	return nothing
}
