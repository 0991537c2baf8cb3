package rhsbl

import (
	"cmp"
	"net/netip"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/lists"
)

// Kind is the list of the matches that [Listings] returns: the entry is the
// domain, the source the zone, and the group the address that stands for the
// kind of listing. Such a match is a hint only: it sets no flag and changes no
// verdict.
const Kind lists.Kind = "rhsbl"

// Answer is what a list said about a domain.
type Answer struct {
	Zone   string            `json:"zone"` // of the list, without the label that is its user's key
	Domain string            `json:"domain"`
	Status dnsresolve.Status `json:"status"`
	Addrs  []netip.Addr      `json:"addrs,omitempty"` // in ascending order
	Error  string            `json:"error,omitempty"`
}

// Listings are addresses in 127.0.0.0/8 (RFC 5782 §2.1). Spamhaus reports
// faults, such as an open resolver or too many queries, in 127.255.255.0/24.
// SURBL and URIBL send 127.0.0.1, which RFC 5782 §5 keeps out of lists, to
// clients that they do not serve.
var (
	codes   = netip.MustParsePrefix("127.0.0.0/8")
	faults  = netip.MustParsePrefix("127.255.255.0/24")
	refusal = netip.MustParseAddr("127.0.0.1")
)

// Listings returns the matches of a domain in the lists that answered.
func Listings(answers []Answer) []lists.Match {
	var found []lists.Match
	for _, a := range answers {
		if len(a.Addrs) > 0 && a.fault() == "" {
			found = append(found, lists.Match{List: Kind, Entry: a.Domain, Source: a.Zone, Group: a.Addrs[0].String()})
		}
	}
	return found
}

// fault returns why nothing can be learned from the answer. It is empty whether
// the domain is listed or not.
func (a Answer) fault() string {
	if a.Status.Temporary() {
		return cmp.Or(a.Error, string(a.Status))
	}
	for _, addr := range a.Addrs {
		switch {
		case faults.Contains(addr), addr == refusal:
			return "the list refuses to answer: " + addr.String()
		case !codes.Contains(addr):
			return "this is no answer of a list, the resolver may make it up: " + addr.String()
		}
	}
	return ""
}
