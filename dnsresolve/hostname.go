package dnsresolve

import (
	"net/netip"
	"strings"
)

// NamesHost reports whether the name can be that of a host: labels of letters,
// digits and hyphens (RFC 1123 §2.1). As hosts in use require, underscores are
// allowed, and hyphens anywhere.
func (h Host) NamesHost() bool {
	if len(h.Name) > maxHostName {
		return false
	}
	for label := range strings.SplitSeq(h.Name, ".") {
		if label == "" || len(label) > maxLabel || strings.ContainsFunc(label, notInHostName) {
			return false
		}
	}
	return !h.NamesAddress()
}

func notInHostName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		return false
	}
	return true
}

// NamesAddress reports whether an MX record names an IP address in place of a
// host. RFC 1035 §3.3.9 forbids it, and senders such as Postfix deliver there.
func (h Host) NamesAddress() bool { return addressIn(h.Name).IsValid() }

// addressIn returns the IP address that the name of a mail exchanger is, alone
// or as RFC 5321 §4.1.3 writes it. Its dots may be in one label.
func addressIn(name string) netip.Addr {
	name = strings.ReplaceAll(name, `\.`, ".")
	if literal, ok := strings.CutPrefix(name, "["); ok {
		if name, ok = strings.CutSuffix(literal, "]"); !ok {
			return netip.Addr{}
		}
		name = strings.TrimPrefix(name, "ipv6:")
	}
	ip, err := netip.ParseAddr(name)
	if err != nil || ip.Zone() != "" {
		return netip.Addr{}
	}
	return ip
}
