package dnsresolve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/miekg/dns"
)

// resolve answers the question for name (fully qualified, lower-case) and qtype
// until end, following aliases from message to message.
func (r *Resolver) resolve(ctx context.Context, end time.Time, name string, qtype uint16) *answer {
	a, next := r.ask(ctx, end, name, qtype, nil)
	for next != "" {
		before := a
		a, next = r.ask(ctx, end, next, qtype, before.aliases)
		a.aliases = longer(a.aliases, before.aliases)
		a.ad = a.ad && before.ad
		a.ttl = min(a.ttl, before.ttl)
	}
	return a
}

func longer(a, b []string) []string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// ask asks one server after the other until one answers. A server that fails is
// not asked again; a silent one is, because packets get lost.
func (r *Resolver) ask(
	ctx context.Context, end time.Time, name string, qtype uint16, aliases []string,
) (a *answer, next string) {
	servers := r.inTurn()
	for range maxRounds {
		var silent []string
		for _, server := range servers {
			said, next := r.try(ctx, end, server, name, qtype, aliases)
			if !said.status.Temporary() || next != "" {
				return said, next
			}
			if a == nil || a.server == "" { // a failure that a server reported says more than another's silence
				a = said
			}
			if ctx.Err() != nil || r.base.Err() != nil {
				return a, ""
			}
			if said.server == "" {
				silent = append(silent, server)
				r.servers.demote(server)
			}
			if !time.Now().Before(end) {
				return a, ""
			}
		}
		servers = silent
	}
	return a, ""
}

// try puts one question to one server, over TCP too if need be.
func (r *Resolver) try(
	ctx context.Context, end time.Time, server, name string, qtype uint16, aliases []string,
) (a *answer, next string) {
	if last := time.Now().Add(r.tryTimeout); last.Before(end) {
		end = last
	}
	query := newQuery(name, qtype)
	m, err := r.exchange(ctx, end, query, server)
	if err == nil && knowsNoEDNS(query, m) {
		m, err = r.exchange(ctx, end, withoutEDNS(query), server)
	}
	if err != nil {
		return unanswered(server, err), ""
	}
	a, next = read(m, name, qtype, aliases)
	a.server = server
	return a, next
}

// exchange sends query over UDP, and once more over TCP if the answer did not
// fit (RFC 7766 §5).
func (r *Resolver) exchange(ctx context.Context, end time.Time, query *dns.Msg, server string) (*dns.Msg, error) {
	for _, network := range []string{"udp", "tcp"} {
		m, err := r.carry(ctx, end, query, network, server)
		if err != nil {
			return nil, err
		}
		if !belongs(query, m) {
			return nil, errForged
		}
		if !m.Truncated {
			return m, nil
		}
	}
	return nil, errTruncated
}

// carry sends query and reads what comes back, until the end or until the
// Resolver is closed. UDP sockets observe both themselves, which costs less.
func (r *Resolver) carry(ctx context.Context, end time.Time, query *dns.Msg, network, server string) (*dns.Msg, error) {
	if r.exchanger == nil && network == "udp" {
		return r.sockets.exchangeUDP(ctx, end, query, server)
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	defer context.AfterFunc(r.base, cancel)()
	if r.exchanger == nil {
		return exchangeTCP(ctx, query, server)
	}
	return r.exchangeWire(ctx, query, network, server)
}

// exchangeWire sends query through the exchanger of the configuration.
func (r *Resolver) exchangeWire(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error) {
	wire, err := query.Pack()
	if err != nil {
		return nil, err
	}
	answer, err := r.exchanger.Exchange(ctx, wire, network, server)
	if err != nil {
		return nil, err
	}
	if len(answer) == 0 {
		return nil, errNoMessage
	}
	return unpack(answer)
}

// unanswered is the failure of an exchange. A server counts as having answered
// if what it sent was unusable.
func unanswered(server string, err error) *answer {
	var broken *dns.Error
	unusable := errors.Is(err, errForged) || errors.Is(err, errMiscount) || errors.Is(err, errTruncated) ||
		errors.Is(err, errNoMessage)
	if unusable || errors.As(err, &broken) {
		return failed(StatusMalformed, server, err)
	}
	var network net.Error // context.DeadlineExceeded is one, too
	if errors.As(err, &network) && network.Timeout() {
		return failed(StatusTimeout, "", fmt.Errorf("%s: no answer in time", server))
	}
	var operation *net.OpError // its text has our port in it, which is another each time
	if errors.As(err, &operation) {
		err = operation.Err
	}
	return failed(StatusError, "", fmt.Errorf("%s: %w", server, err))
}
