package engine

import (
	"net/netip"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
)

// selfRuling replaces the ruling of [rcpt.ReasonMXReservedAddress] for a domain
// whose mail hosts all have a loopback address. Such an address leads every
// sender back to itself, so nothing can be delivered there.
var selfRuling = ruling{verdict: rcpt.VerdictUndeliverable,
	message: "Every mail host of the domain has a loopback address: nobody can deliver there."}

// filterRuling replaces it where one of them has the unspecified address.
// Nothing can be delivered there either, but filtering resolvers give the same
// answer for names that they block.
var filterRuling = ruling{verdict: rcpt.VerdictUnknown,
	message: "A mail host of the domain has the address 0.0.0.0 or ::, " +
		"which is also what filtering DNS resolvers say of names that they block; no other host can be contacted."}

// ownRuling replaces it where a mail host is this machine.
var ownRuling = ruling{verdict: rcpt.VerdictUnknown,
	message: "A mail host of the domain is the machine that asks, which is not contacted, and no other can be."}

// namelessRuling replaces the ruling of [rcpt.ReasonDNSTemporary] where an MX
// record names what is no name of a host, such as a URL, and the DNS knows no
// address for it. Not every resolver takes such a question, and not every
// sender would ask it.
var namelessRuling = ruling{verdict: rcpt.VerdictUnknown, retryAfter: retryTemporary,
	message: "An MX record of the domain names what is no name of a host, and the DNS knows no address for it."}

// judgeDNS returns why no mail host can be asked, or the zero judgement if one
// can.
func judgeDNS(found dnsresolve.Findings, allowed []netip.Prefix) judgement {
	switch {
	case found.Status == dnsresolve.StatusNXDomain:
		return judgement{reason: rcpt.ReasonDomainNotFound}
	case found.Status == dnsresolve.StatusNoData:
		return judgement{reason: rcpt.ReasonNoMailHost}
	case found.Status.Temporary():
		return judgement{reason: rcpt.ReasonDNSTemporary}
	case found.NullMX:
		return judgement{reason: rcpt.ReasonNullMX}
	case anyDialable(found.Hosts, allowed):
		return judgement{}
	}
	return judgeDeadRoute(found)
}

func anyDialable(hosts []dnsresolve.Host, allowed []netip.Prefix) bool {
	for _, host := range hosts {
		for _, addr := range host.Addrs {
			if mayDial(addr, allowed) {
				return true
			}
		}
	}
	return false
}

// judgeDeadRoute judges mail exchangers of which none may be dialled. A host
// that was not looked up, or whose look-up was not answered completely, proves
// nothing about the domain.
func judgeDeadRoute(found dnsresolve.Findings) judgement {
	var reserved, self int
	var unseen, nameless, own, unspecified bool
	omitted := found.Omitted
	for _, host := range found.Hosts {
		omitted += host.Omitted
		// AllowNets may have been different when the host was looked up.
		unseen = unseen || host.Status.Temporary() || host.Incomplete || host.IPv6Unasked
		nameless = nameless || !found.Implicit && len(host.Addrs) == 0 && !host.NamesHost()
		for _, addr := range host.Addrs {
			reserved++
			own = own || addr.Reserved == markOwn
			unspecified = unspecified || addr.IP.IsUnspecified()
			if addr.IP.IsLoopback() {
				self++
			}
		}
	}
	switch {
	case unseen:
		return judgement{reason: rcpt.ReasonDNSTemporary}
	case nameless:
		return judgement{reason: rcpt.ReasonDNSTemporary, special: &namelessRuling}
	case reserved == 0 && found.Omitted > 0:
		return judgement{reason: rcpt.ReasonDNSTemporary}
	case reserved == 0:
		return judgement{reason: rcpt.ReasonNoMailHost}
	case unspecified:
		return judgement{reason: rcpt.ReasonMXReservedAddress, special: &filterRuling}
	case reserved == self && omitted == 0:
		return judgement{reason: rcpt.ReasonMXReservedAddress, special: &selfRuling}
	case own:
		return judgement{reason: rcpt.ReasonMXReservedAddress, special: &ownRuling}
	}
	return judgement{reason: rcpt.ReasonMXReservedAddress}
}
