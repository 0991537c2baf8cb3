package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// directName names the egress of a configuration that chooses none.
const directName = "direct"

// fewHosts6 is how many mail hosts are greeted over IPv6: it is used only where
// IPv4 does not do.
const fewHosts6 = 2

// target is a mail host of a domain.
type target struct {
	domain, host string
	addr         netip.AddrPort
}

// ways returns the egresses of the configuration.
func (x *examination) ways() ([]egress.Egress, error) {
	c := x.config.Engine
	all, err := egress.All(c.Proxies, c.SourceIPs, c.Egresses, c.Dialer)
	if err == nil && len(all) == 0 {
		all = egress.Egresses{{Dialer: c.Dialer}}
	}
	return all, err
}

// egresses checks each egress, and with what the mail hosts said the clock.
func (x *examination) egresses(ctx context.Context) []Check {
	ways, err := x.ways()
	if err != nil {
		return []Check{{Name: NamePort, State: StateFault, Found: err.Error()}}
	}
	var lists []soundness
	var testing sync.WaitGroup // of the lists; slow ones do not delay the sessions
	testing.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, sessionTime)
		defer cancel()
		lists = x.tested(ctx)
	})
	targets := x.targets(ctx)
	visits := make([][]visit, len(ways))
	var sessions sync.WaitGroup
	for i, way := range ways {
		sessions.Go(func() { visits[i] = x.visits(ctx, way, share(targets, i, len(ways))) })
	}
	sessions.Wait()
	testing.Wait()
	all := unusable(lists)
	results := make([][]Check, len(ways))
	var work sync.WaitGroup
	for i, way := range ways {
		work.Go(func() { results[i] = x.egress(ctx, way, visits[i], lists) })
	}
	work.Wait()
	all = append(all, x.clock(slices.Concat(visits...)))
	return append(all, slices.Concat(results...)...)
}

// targets returns an IPv4 and an IPv6 address of a mail host of each domain.
func (x *examination) targets(ctx context.Context) []target {
	rules, _ := engine.ReadNoAsk(x.config.Engine.NoAsk...) // the flags have checked them
	return slices.Concat(each(x.domains, func(domain string) []target {
		found, _ := x.hosts.MailHosts(ctx, domain) // an error says that ctx ended
		var four, six []target
		for _, host := range found.Hosts {
			if rules.Domain(domain) != "" || rules.Host(host.Name) != "" {
				continue
			}
			for _, addr := range host.Addrs {
				to := target{domain, host.Name, netip.AddrPortFrom(addr.IP, x.port())}
				switch {
				case !x.mayMeet(addr):
				case addr.IP.Is4():
					four = append(four, to)
				default:
					six = append(six, to)
				}
			}
		}
		return append(four[:min(1, len(four))], six[:min(1, len(six))]...)
	})...)
}

// Limits of what many egresses greet: together about manySessions mail hosts,
// each of them leastTargets.
const (
	manySessions = 60
	leastTargets = 3
)

// share returns what the i-th of n egresses greets: everything, or where there
// are many egresses a part, another for the next.
func share(targets []target, i, n int) []target {
	most := max(leastTargets, manySessions/n)
	if most >= len(targets) {
		return targets
	}
	from := i * most % len(targets)
	return slices.Concat(targets, targets)[from : from+most]
}

func (x *examination) port() uint16 {
	if x.config.Engine.SMTPPort != 0 {
		return x.config.Engine.SMTPPort
	}
	return 25
}

// mayMeet reports whether an address may be contacted.
func (x *examination) mayMeet(addr dnsresolve.Addr) bool {
	return addr.Reserved == "" || x.allowed(addr.IP)
}

func (x *examination) allowed(ip netip.Addr) bool {
	return slices.ContainsFunc(x.config.Engine.AllowNets, func(n netip.Prefix) bool { return n.Contains(ip.Unmap()) })
}

// by returns the examination as it is by an egress, which may have an EHLO name
// and a sender of its own.
func (x *examination) by(way egress.Egress) *examination {
	own := *x
	if way.HELO != "" {
		own.config.Engine.HELO = way.HELO
	}
	if way.MailFrom != "" {
		own.config.Engine.MailFrom = strings.Trim(way.MailFrom, "<>")
	}
	return &own
}

// visit is a session with a mail host, and our end of the connection.
type visit struct {
	target
	smtpprobe.Session
	local netip.Addr
}

// visits greets the mail hosts that an egress may reach: all over IPv4, and a
// few over IPv6.
func (x *examination) visits(ctx context.Context, way egress.Egress, targets []target) []visit {
	ctx, cancel := context.WithTimeout(ctx, x.config.patience)
	defer cancel()
	sixes := 0
	chosen := slices.DeleteFunc(slices.Clone(targets), func(to target) bool {
		if to.addr.Addr().Is4() {
			return way.Only6
		}
		sixes++
		return way.Only4 || !way.Only6 && sixes > fewHosts6
	})
	return each(chosen, func(to target) visit {
		said, local := smtpprobe.Hello(ctx, smtpprobe.Introduction{
			HELO: x.by(way).config.Engine.HELO, Egress: way, Host: to.host, Addr: to.addr,
			Connect: x.config.patience * 3 / 4, Command: x.config.patience,
		})
		return visit{to, said, local}
	})
}

// egress judges what was heard through an egress, and looks up what the DNS
// says about it.
func (x *examination) egress(ctx context.Context, way egress.Egress, visits []visit, lists []soundness) []Check {
	ctx, cancel := context.WithTimeout(ctx, identityTime)
	defer cancel()
	name := way.Name
	if name == "" {
		name = directName
	}
	x = x.by(way)
	main := ofFamily(visits, !way.Only6)
	all := []Check{x.reachable(name, way, main)}
	if !greeted(main) {
		return all
	}
	for _, v := range main {
		all = append(all, x.provider(name, v))
	}
	for _, four := range []bool{true, false} {
		seen := x.seenFrom(way, ofFamily(visits, four))
		all = append(all, addresses(name, four, greeted(ofFamily(visits, four)), seen)...)
		secondary := !four && !way.Only6
		all = append(all, slices.Concat(each(seen, func(ip netip.Addr) []Check {
			return append(x.identity(ctx, name, ip, secondary), x.listed(ctx, lists, name, ip)...)
		})...)...)
	}
	return all
}

func ofFamily(visits []visit, four bool) []visit {
	return slices.DeleteFunc(slices.Clone(visits), func(v visit) bool { return v.addr().Is4() != four })
}

func (v visit) addr() netip.Addr { return v.target.addr.Addr() }

func greeted(visits []visit) bool {
	return slices.ContainsFunc(visits, func(v visit) bool { return v.Greeting != nil })
}

// mostAddrs bounds how many of our own addresses are looked up.
const mostAddrs = 4

// seenFrom returns the addresses from which mail hosts see us, or else our end
// of the connection.
func (x *examination) seenFrom(way egress.Egress, visits []visit) []netip.Addr {
	var seen, ends []netip.Addr
	public := func(ip netip.Addr) bool { return dnsresolve.Reserved(ip) == "" || x.allowed(ip) }
	for _, v := range visits {
		if v.Greeting == nil {
			continue
		}
		lines := slices.Clone(v.Greeting.Lines)
		if v.EHLO != nil {
			lines = append(lines, v.EHLO.Lines[:min(1, len(v.EHLO.Lines))]...)
		}
		for _, ip := range literals(strings.Join(lines, " ")) {
			if ip != v.addr() && ip.Is4() == v.addr().Is4() && public(ip) && !slices.Contains(seen, ip) {
				seen = append(seen, ip)
			}
		}
		if v.local.IsValid() && dnsresolve.Reserved(v.local) == "" && !slices.Contains(ends, v.local) {
			ends = append(ends, v.local)
		}
	}
	if len(seen) == 0 {
		seen = ends
	}
	return seen[:min(len(seen), mostAddrs)]
}

// literals returns the IP addresses that a text contains.
func literals(text string) (all []netip.Addr) {
	notOfAddress := func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF.:", r) }
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(text, "IPv6:", " "), notOfAddress) {
		if ip, err := netip.ParseAddr(strings.Trim(word, ".")); err == nil {
			all = append(all, ip.Unmap())
		}
	}
	return all
}

// addresses says which addresses mail hosts see.
func addresses(name string, four, connected bool, seen []netip.Addr) []Check {
	c := Check{Name: NameAddress, Egress: name, State: StateOK}
	switch {
	case !connected:
		return nil
	case len(seen) == 0 && four:
		c.State = StateSkipped
		c.Found = "no mail host says which address it sees, so PTR, SPF and block lists were not checked"
	case len(seen) == 0:
		return nil
	case len(seen) == 1:
		c.Subject, c.Found = seen[0].String(), "mail hosts see this address"
	default:
		c.State = StateWarning
		c.Found = fmt.Sprintf("mail hosts see several addresses: %v", seen)
		c.Why = "Greylisting expects a client to come back from the same address."
		c.Do = "Give this server one fixed address for port 25, or choose with --source-ip."
	}
	return []Check{c}
}
