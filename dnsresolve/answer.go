package dnsresolve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/miekg/dns"
)

// answer is what is known about one question. Callers share it, and it is never
// changed once made.
type answer struct {
	status     Status
	exchangers []exchanger  // to a question for MX
	addrs      []netip.Addr // to a question for A or AAAA
	aliases    []string     // followed on the way, in order
	server     string       // that answered
	ad         bool
	ttl        uint32    // seconds that it may be kept
	expires    time.Time // after that
	explain    string    // why it failed
	memo       *memo     // of an answer to a question for MX
}

// exchanger is the data of an MX record. The host's name is lower-case and has
// no trailing dot: that of a null MX is "".
type exchanger struct {
	host       string
	preference uint16
}

var (
	errReferral  = errors.New("a referral: the server offers no recursion")
	errUnrelated = errors.New("the answer is about other names")
	errDenies    = errors.New("the answer says NXDOMAIN and has records for the name")
	errCircle    = errors.New("the aliases form a loop")
	errTooLong   = fmt.Errorf("more than %d aliases", maxAliases)
	errNoData    = errors.New("the records have no data")
	errUnfounded = errors.New("a denial from a server that is neither recursive nor authoritative")
)

// failed is the answer that there was none.
func failed(status Status, server string, err error) *answer {
	return &answer{status: status, server: server, ttl: failureTTL, explain: clean(err.Error())}
}

// read takes from m what it says about name, which aliases led to. If the last
// alias leads out of the message, next is the name to ask for.
func read(m *dns.Msg, name string, qtype uint16, aliases []string) (a *answer, next string) {
	if status, ok := failureOf(m.Rcode); ok {
		return failed(status, "", errors.New(describe(m))), ""
	}
	if isFiltered(m) {
		return failed(StatusRefused, "", errors.New(describe(m))), ""
	}
	last, ttl, aliases, err := follow(m.Answer, name, aliases)
	if err != nil {
		return failed(StatusMalformed, "", err), ""
	}
	a = &answer{aliases: aliases, ad: m.AuthenticatedData, ttl: ttl}
	present := a.collect(m.Answer, last, qtype)
	switch {
	case m.Rcode == dns.RcodeNameError && present:
		return failed(StatusMalformed, "", errDenies), ""
	case m.Rcode == dns.RcodeNameError && unfounded(m):
		return failed(StatusRefused, "", errUnfounded), ""
	case m.Rcode == dns.RcodeNameError:
		return a.denied(StatusNXDomain, m), ""
	case len(a.exchangers)+len(a.addrs) > 0:
		a.status = StatusOK
		return a, ""
	case present:
		return failed(StatusMalformed, "", errNoData), ""
	case last != name && soaOf(m) == nil:
		return a, last
	case last == name && len(m.Answer) > 0:
		return failed(StatusMalformed, "", errUnrelated), ""
	case isReferral(m):
		return failed(StatusRefused, "", errReferral), ""
	}
	return a.denied(StatusNoData, m), ""
}

// failureOf returns the status for response codes that say nothing about the
// name.
func failureOf(rcode int) (Status, bool) {
	switch rcode {
	case dns.RcodeSuccess, dns.RcodeNameError:
		return "", false
	case dns.RcodeServerFailure:
		return StatusServFail, true
	case dns.RcodeRefused:
		return StatusRefused, true
	}
	return StatusMalformed, true
}

// follow walks the aliases in records from name to the last name, and returns
// it with the least TTL on the way and the longer list.
func follow(records []dns.RR, name string, aliases []string) (last string, ttl uint32, longer []string, err error) {
	last, ttl, longer = name, math.MaxInt32, slices.Clip(aliases)
	for {
		cname := aliasAt(records, last)
		if cname == nil {
			return last, ttl, longer, nil
		}
		target := dns.CanonicalName(cname.Target)
		if slices.Contains(longer, plain(target)) {
			return "", 0, nil, errCircle
		}
		if len(longer) == maxAliases {
			return "", 0, nil, errTooLong
		}
		last, ttl, longer = target, min(ttl, lifetime(cname)), append(longer, plain(target))
	}
}

func aliasAt(records []dns.RR, name string) *dns.CNAME {
	for _, rr := range records {
		if cname, ok := rr.(*dns.CNAME); ok && owns(name, rr) && cname.Target != "" {
			return cname
		}
	}
	return nil
}

// collect keeps the data of name's records of the type, with their least TTL,
// and reports whether there are such records.
func (a *answer) collect(records []dns.RR, name string, qtype uint16) (present bool) {
	for _, rr := range records {
		if rr.Header().Rrtype != qtype || !owns(name, rr) {
			continue
		}
		present = true
		a.ttl = min(a.ttl, lifetime(rr))
		switch rr := rr.(type) {
		case *dns.MX:
			if rr.Mx != "" { // a record without data, which dns.Msg.Unpack lets pass
				a.exchangers = append(a.exchangers, exchanger{plain(rr.Mx), rr.Preference})
			}
		case *dns.A:
			a.addAddr(rr.A.To4())
		case *dns.AAAA:
			a.addAddr(rr.AAAA.To16())
		}
	}
	a.ttl = clamp(a.ttl, minTTL, maxTTL)
	return present
}

func (a *answer) addAddr(octets []byte) {
	if ip, ok := netip.AddrFromSlice(octets); ok && !slices.Contains(a.addrs, ip) {
		a.addrs = append(a.addrs, ip)
	}
}

// denied makes a a denial that is kept for its lifetime: the lesser of the
// SOA's TTL and its MINIMUM field (RFC 2308 §5).
func (a *answer) denied(status Status, m *dns.Msg) *answer {
	a.status = status
	if soa := soaOf(m); soa != nil {
		a.ttl = clamp(min(a.ttl, lifetime(soa), sane(soa.Minttl)), minTTL, maxNegativeTTL)
	} else {
		a.ttl = failureTTL
	}
	return a
}

// isReferral reports whether an empty answer is a referral and not "no data"
// (RFC 2308 §2.2).
func isReferral(m *dns.Msg) bool {
	if soaOf(m) != nil {
		return false
	}
	pointsElsewhere := slices.ContainsFunc(m.Ns, func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeNS })
	return pointsElsewhere || unfounded(m)
}

// unfounded reports whether a denial has no basis: the server is neither
// recursive nor authoritative.
func unfounded(m *dns.Msg) bool {
	return soaOf(m) == nil && !m.Authoritative && !m.RecursionAvailable
}

func soaOf(m *dns.Msg) *dns.SOA {
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			return soa
		}
	}
	return nil
}

func owns(name string, rr dns.RR) bool {
	return rr.Header().Class == dns.ClassINET && strings.EqualFold(rr.Header().Name, name)
}

func lifetime(rr dns.RR) uint32 { return sane(rr.Header().Ttl) }

// sane takes a TTL with the top bit set for zero (RFC 2181 §8).
func sane(ttl uint32) uint32 {
	if ttl > math.MaxInt32 {
		return 0
	}
	return ttl
}

func clamp(ttl, least, most uint32) uint32 { return max(least, min(ttl, most)) }

// plain is name in lower case and without the trailing dot.
func plain(name string) string { return strings.TrimSuffix(dns.CanonicalName(name), ".") }

// isFiltered reports whether the server says that the answer is a policy and
// not the one of the domain's name servers (RFC 8914 §4.5, §4.16 to §4.19).
func isFiltered(m *dns.Msg) bool {
	for _, extended := range extendedErrors(m) {
		switch extended.InfoCode {
		case dns.ExtendedErrorCodeForgedAnswer, dns.ExtendedErrorCodeBlocked, dns.ExtendedErrorCodeCensored,
			dns.ExtendedErrorCodeFiltered, dns.ExtendedErrorCodeProhibited:
			return true
		}
	}
	return false
}

func extendedErrors(m *dns.Msg) (all []*dns.EDNS0_EDE) {
	if opt := m.IsEdns0(); opt != nil {
		for _, option := range opt.Option {
			if extended, ok := option.(*dns.EDNS0_EDE); ok {
				all = append(all, extended)
			}
		}
	}
	return all
}

// describe names the response code and, if there is one, the server's
// explanation (RFC 8914).
func describe(m *dns.Msg) string {
	text := cmp.Or(dns.RcodeToString[m.Rcode], fmt.Sprintf("RCODE%d", m.Rcode))
	for _, extended := range extendedErrors(m) {
		text += ": " + cmp.Or(dns.ExtendedErrorCodeToString[extended.InfoCode], fmt.Sprintf("EDE%d", extended.InfoCode))
		if extended.ExtraText != "" {
			text += ": " + extended.ExtraText
		}
	}
	return text
}

// clean bounds text from outside and makes it printable UTF-8.
func clean(text string) string {
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '\uFFFD' {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
