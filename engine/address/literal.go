package address

import (
	"net/netip"
	"strings"
)

// refuseLiteral tells a well-formed address-literal (RFC 5321 §4.1.3) at the
// start of the domain, refused by policy, from a malformed one.
func refuseLiteral(s string) *Error {
	content, closed := strings.CutSuffix(s[1:], "]")
	switch {
	case !closed:
		return fail(ReasonMalformedLiteral, len(s), `address literal does not end with "]"`)
	case !isLiteral(content):
		return fail(ReasonMalformedLiteral, 1,
			"address literal holds neither an IPv4 address nor \"IPv6:\" and an IPv6 address")
	}
	return fail(ReasonAddressLiteral, 0, "it has an IP address in place of a domain")
}

// isLiteral knows the forms of today: "IPv6" is the only tag that IANA has
// registered for General-address-literal.
func isLiteral(content string) bool {
	tag, rest, tagged := strings.Cut(content, ":")
	if !tagged {
		_, err := netip.ParseAddr(content) // an IPv6 address would have a colon
		return err == nil
	}
	ip, err := netip.ParseAddr(rest)
	return strings.EqualFold(tag, "IPv6") && err == nil && ip.Is6() && ip.Zone() == ""
}
