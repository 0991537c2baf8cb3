package doctor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"blitiri.com.ar/go/spf"
)

// identity checks how an address introduces itself: its PTR record, the name in
// HELO, and SPF. An address is secondary if it is used only where another does
// not do; its faults are warnings.
func (x *examination) identity(ctx context.Context, egress string, ip netip.Addr, secondary bool) []Check {
	ptr, names := x.ptr(ctx, ip)
	all := []Check{ptr, x.helo(ctx, ip, names)}
	all = append(all, each(x.identities(), func(id identity) Check { return x.spf(ctx, ip, id) })...)
	for i := range all {
		all[i].Egress = egress
		if all[i].Subject == "" {
			all[i].Subject = ip.String()
		}
		if secondary && all[i].State == StateFault {
			all[i].State = StateWarning
			all[i].Do = strings.TrimSpace(all[i].Do + " Or turn IPv6 off for this server.")
		}
	}
	return all
}

const whyPTR = "GMX, T-Online, Google over IPv6 and many others refuse a client " +
	"without a PTR record whose name leads back to it."

// ptr checks the PTR record of an address: it exists, leads back, and does not
// look like that of a dial-up customer. It returns the names that lead back.
func (x *examination) ptr(ctx context.Context, ip netip.Addr) (Check, []string) {
	c := Check{Name: NamePTR, State: StateFault, Why: whyPTR}
	const ask = "Ask the hosting provider (its panel calls it reverse DNS or rDNS) to set the PTR record to "
	names, err := x.names.LookupAddr(ctx, ip.String())
	switch {
	case isAbsent(err):
		c.Found = "the address has no PTR record"
		c.Do = ask + x.nameToBe() + "."
		return c, nil
	case err != nil:
		c.State, c.Why, c.Found = StateSkipped, "", "the DNS gave no answer about the PTR record"
		return c, nil
	}
	back := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		leads, err := x.names.leadsTo(ctx, name, ip)
		return err == nil && !leads
	})
	if len(back) == 0 {
		c.Found = fmt.Sprintf("its PTR record is %s, and that name does not lead back to it", strings.Join(names, ", "))
		c.Do = fmt.Sprintf("Add an address record: %s %s %s; or change the PTR record.", names[0], recordType(ip), ip)
		return c, nil
	}
	if name := back[0]; looksDialUp(name, ip) {
		c.State, c.Found = StateWarning, "its PTR record is "+name+", which looks like the name of a dial-up customer"
		c.Why = "T-Online and others refuse such names."
		c.Do = ask + x.nameToBe() + "."
		return c, back
	}
	c.State, c.Why, c.Found = StateOK, "", "its PTR record is "+strings.Join(back, ", ")+", which leads back to it"
	return c, back
}

// nameToBe is the name that the PTR record should have.
func (x *examination) nameToBe() string {
	if name := x.config.Engine.HELO; strings.Contains(name, ".") && !strings.HasPrefix(name, "[") {
		return name
	}
	return "a name of your own domain, and use it in --helo"
}

func recordType(ip netip.Addr) string {
	if ip.Is4() {
		return "A"
	}
	return "AAAA"
}

// dialUpWords are labels, or parts of labels, of names that providers give to
// all addresses of a pool.
var dialUpWords = regexp.MustCompile(`(^|[.0-9-])(dyn|dynamic|dynip|dial|dialup|dsl|adsl|vdsl|cable|pool|ppp|pppoe|` +
	`dhcp|broadband|customer|residential|mobile|wimax)([.0-9-]|$)`)

// looksDialUp reports whether a name contains its own address, or such a word.
func looksDialUp(name string, ip netip.Addr) bool {
	name = strings.ToLower(name)
	if dialUpWords.MatchString(name) {
		return true
	}
	if !ip.Is4() {
		return false
	}
	a := ip.As4()
	for _, sep := range []string{"-", ".", "_", "x"} {
		for _, octets := range [][]byte{{a[0], a[1], a[2], a[3]}, {a[3], a[2], a[1], a[0]}} {
			text := fmt.Sprintf("%d%s%d%s%d%s%d", octets[0], sep, octets[1], sep, octets[2], sep, octets[3])
			if strings.Contains(name, text) {
				return true
			}
		}
	}
	return strings.Contains(name, fmt.Sprintf("%02x%02x%02x%02x", a[0], a[1], a[2], a[3]))
}

// helo checks the name in HELO against the address.
func (x *examination) helo(ctx context.Context, ip netip.Addr, ptr []string) Check {
	name := x.config.Engine.HELO
	c := Check{Name: NameHELO, State: StateOK}
	const why = "Mail hosts compare the name in HELO with the address and its PTR record."
	suggestion := "a name of your own domain that leads to " + ip.String()
	good := len(ptr) > 0 && !looksDialUp(ptr[0], ip)
	if good {
		suggestion = ptr[0]
	}
	same := func(other string) bool { return strings.EqualFold(other, name) }
	switch leads, err := x.names.leadsTo(ctx, name, ip); {
	case name == "" || strings.HasPrefix(name, "["):
		c.State, c.Found = StateWarning, "the name in HELO is an address literal"
		c.Why, c.Do = why, "Set --helo to "+suggestion+"."
	case slices.ContainsFunc(ptr, same):
		c.Found = "the name in HELO, " + name + ", is that of the PTR record"
	case err != nil:
		c.State, c.Found = StateSkipped, "the DNS gave no answer about the name in HELO, "+name
	case !leads:
		c.State, c.Found = StateFault, "the name in HELO, "+name+", does not lead to "+ip.String()
		c.Why, c.Do = why, "Set --helo to "+suggestion+"."
	case len(ptr) > 0:
		c.State = StateWarning
		const text = "the name in HELO, %s, leads to the address, and its PTR record is another name, %s"
		c.Found = fmt.Sprintf(text, name, ptr[0])
		c.Why, c.Do = why, "Make them the same: --helo "+ptr[0]+", or another PTR record."
		if !good {
			c.Do = "Make them the same: the PTR record should be " + name + "."
		}
	default:
		c.Found = "the name in HELO, " + name + ", leads to the address"
	}
	return c
}

// identity is a domain whose SPF record concerns us.
type identity struct{ domain, sender, what string }

// identities are the name in HELO and the domain of the reverse-path.
func (x *examination) identities() (all []identity) {
	name := x.config.Engine.HELO
	if name != "" && !strings.HasPrefix(name, "[") {
		all = append(all, identity{name, "postmaster@" + name, "the name in HELO"})
	}
	if from := x.config.Engine.MailFrom; from != "" {
		domain := from[strings.LastIndexByte(from, '@')+1:]
		if !strings.EqualFold(domain, name) {
			all = append(all, identity{domain, from, "the domain of --mail-from"})
		}
	}
	return all
}

// spf evaluates the SPF record of a domain for an address (RFC 7208).
func (x *examination) spf(ctx context.Context, ip netip.Addr, id identity) Check {
	c := Check{Name: NameSPF, Subject: ip.String(), State: StateOK}
	helo := x.config.Engine.HELO
	result, err := spf.CheckHostWithSender(net.IP(ip.AsSlice()), helo, id.sender,
		spf.WithContext(ctx), spf.WithResolver(x.names))
	who := id.what + ", " + id.domain + ","
	c.Why = "Hosts that check SPF refuse a client that the record excludes."
	mechanism := "ip6:" + ip.String()
	if ip.Is4() {
		mechanism = "ip4:" + ip.String()
	}
	add := fmt.Sprintf("Add %s to the TXT record of %s.", mechanism, id.domain)
	switch result {
	case spf.Pass:
		c.Why, c.Found = "", who+" has an SPF record that allows the address"
	case spf.None:
		c.State, c.Found = StateWarning, who+" has no SPF record"
		c.Do = fmt.Sprintf("Publish a TXT record: %s TXT \"v=spf1 %s -all\".", id.domain, mechanism)
	case spf.Fail:
		c.State, c.Found, c.Do = StateFault, who+" has an SPF record that excludes the address", add
	case spf.PermError:
		c.State, c.Found = StateFault, fmt.Sprintf("the SPF record of %s is broken: %v", id.domain, err)
		c.Do = "Correct the record; RFC 7208 §4.6 has the grammar, and allows ten look-ups."
	case spf.TempError:
		c.State, c.Why, c.Found = StateSkipped, "", "the DNS gave no answer about the SPF record of "+id.domain
	default: // neutral, softfail
		c.State, c.Do = StateWarning, add
		c.Found = fmt.Sprintf("%s has an SPF record that does not vouch for the address (%s)", who, result)
	}
	return c
}
