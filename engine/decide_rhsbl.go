package engine

import (
	"cmp"
	"net/netip"

	"github.com/rcpt/rcpt/lists"
)

// RHSBL is the list in [Details] of domains that a list of domains in the DNS has: the entry is the domain, the source the zone, and the group
// the address that stands for the kind of the listing. It is a sign and no more: it sets no flag and changes no verdict.
const RHSBL lists.Kind = "rhsbl"

// Listings are addresses in 127.0.0.0/8 (RFC 5782 §2.1). Spamhaus speaks of faults, an open resolver or too many queries, in 127.255.255.0/24;
// SURBL and URIBL say 127.0.0.1, which RFC 5782 §5 keeps out of lists, to those whom they do not serve.
var (
	rhsblCodes   = netip.MustParsePrefix("127.0.0.0/8")
	rhsblFaults  = netip.MustParsePrefix("127.255.255.0/24")
	rhsblRefusal = netip.MustParseAddr("127.0.0.1")
)

// listings are the matches of a domain in the lists that answered.
func listings(answers []RHSBLAnswer) []lists.Match {
	var found []lists.Match
	for _, a := range answers {
		if len(a.Addrs) > 0 && a.fault() == "" {
			found = append(found, lists.Match{List: RHSBL, Entry: a.Domain, Source: a.Zone, Group: a.Addrs[0].String()})
		}
	}
	return found
}

// fault says why nothing can be learned from the answer; it is empty where the domain is listed, and where it is not.
func (a RHSBLAnswer) fault() string {
	if a.Status.Temporary() {
		return cmp.Or(a.Error, string(a.Status))
	}
	for _, addr := range a.Addrs {
		switch {
		case rhsblFaults.Contains(addr), addr == rhsblRefusal:
			return "the list refuses to answer: " + addr.String()
		case !rhsblCodes.Contains(addr):
			return "this is no answer of a list, the resolver may make it up: " + addr.String()
		}
	}
	return ""
}
