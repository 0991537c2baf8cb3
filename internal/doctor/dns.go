package doctor

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// names looks records up at DNS servers, in the form that package spf needs.
type names struct{ servers []string }

// tryTime bounds one try at one server.
const tryTime = time.Second

// errNoAnswer is the error of look-ups that no server answers.
var errNoAnswer = errors.New("no DNS server answers")

// ask asks one server after the other, over TCP what is truncated over UDP.
func (n *names) ask(ctx context.Context, name string, qtype uint16) (*dns.Msg, error) {
	for _, server := range n.servers {
		m, _, err := exchange(ctx, "udp", server, name, qtype, true)
		if err == nil && m.Truncated {
			m, _, err = exchange(ctx, "tcp", server, name, qtype, true)
		}
		if err == nil && (m.Rcode == dns.RcodeSuccess || m.Rcode == dns.RcodeNameError) {
			return m, nil
		}
	}
	return nil, &net.DNSError{Err: errNoAnswer.Error(), Name: name, IsTemporary: true}
}

// exchange asks one server, with EDNS0 or without.
func exchange(
	ctx context.Context, network, server, name string, qtype uint16, edns bool,
) (*dns.Msg, time.Duration, error) {
	query := new(dns.Msg).SetQuestion(dns.Fqdn(name), qtype)
	if edns {
		query.SetEdns0(dns.DefaultMsgSize, false)
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	client := &dns.Client{Net: network, Timeout: tryTime}
	return client.ExchangeContext(ctx, query, server)
}

// records returns the records of a type, or an error of [net.DNSError] if there
// are none.
func records[T dns.RR](ctx context.Context, n *names, name string, qtype uint16) ([]T, error) {
	m, err := n.ask(ctx, name, qtype)
	if err != nil {
		return nil, err
	}
	var found []T
	for _, rr := range m.Answer {
		if r, ok := rr.(T); ok {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such record", Name: name, IsNotFound: true}
	}
	return found, nil
}

// isAbsent reports whether the DNS denies a record, rather than being silent.
func isAbsent(err error) bool {
	var failed *net.DNSError
	return errors.As(err, &failed) && failed.IsNotFound
}

// LookupTXT returns the texts of a name.
func (n *names) LookupTXT(ctx context.Context, name string) ([]string, error) {
	found, err := records[*dns.TXT](ctx, n, name, dns.TypeTXT)
	var texts []string
	for _, r := range found {
		texts = append(texts, strings.Join(r.Txt, ""))
	}
	return texts, err
}

// LookupMX returns the mail exchangers of a domain.
func (n *names) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	found, err := records[*dns.MX](ctx, n, name, dns.TypeMX)
	var all []*net.MX
	for _, r := range found {
		all = append(all, &net.MX{Host: r.Mx, Pref: r.Preference})
	}
	return all, err
}

// LookupIPAddr returns the addresses of a host.
func (n *names) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	var four []*dns.A
	var six []*dns.AAAA
	var err4, err6 error
	var both sync.WaitGroup
	both.Go(func() { four, err4 = records[*dns.A](ctx, n, host, dns.TypeA) })
	both.Go(func() { six, err6 = records[*dns.AAAA](ctx, n, host, dns.TypeAAAA) })
	both.Wait()
	var all []net.IPAddr
	for _, r := range four {
		all = append(all, net.IPAddr{IP: r.A})
	}
	for _, r := range six {
		all = append(all, net.IPAddr{IP: r.AAAA})
	}
	switch {
	case len(all) > 0:
		return all, nil
	case !isAbsent(err4):
		return nil, err4
	}
	return nil, err6
}

// LookupAddr returns the names of an address.
func (n *names) LookupAddr(ctx context.Context, addr string) ([]string, error) {
	reverse, err := dns.ReverseAddr(addr)
	if err != nil {
		return nil, err
	}
	found, err := records[*dns.PTR](ctx, n, reverse, dns.TypePTR)
	var all []string
	for _, r := range found {
		all = append(all, strings.TrimSuffix(r.Ptr, "."))
	}
	return all, err
}

// leadsTo reports whether a name has an address.
func (n *names) leadsTo(ctx context.Context, name string, ip netip.Addr) (bool, error) {
	addrs, err := n.LookupIPAddr(ctx, name)
	for _, a := range addrs {
		if got, ok := netip.AddrFromSlice(a.IP); ok && got.Unmap() == ip {
			return true, nil
		}
	}
	if isAbsent(err) {
		err = nil
	}
	return false, err
}

// each calls f for all items at the same time, and returns the results in their
// order.
func each[T, R any](items []T, f func(T) R) []R {
	results := make([]R, len(items))
	var all sync.WaitGroup
	for i, item := range items {
		all.Go(func() { results[i] = f(item) })
	}
	all.Wait()
	return results
}
