// Package dnsresolve finds where mail for a domain goes: its mail exchangers
// and their addresses.
//
// It asks recursive resolvers over UDP and TCP (RFC 1035, RFC 7766) with EDNS0
// (RFC 6891), and follows RFC 5321 §5.1: the MX records in order of preference;
// without any, the domain's own addresses, IPv4 and IPv6; and no mail at all
// for a null MX (RFC 7505). [Findings] are facts with the evidence for each,
// without a verdict. NXDOMAIN and NODATA are distinguished from failures, which
// say nothing about the domain. A domain is called absent only if the resolver
// denied its MX, A and AAAA records alike, because some servers deny a name if
// they do not know a record type. [Host.Incomplete] and [Host.Omitted] report
// missing addresses. An MX record that names an IP address leads to that
// address, and any other name is looked up, whether it can be that of a host or
// not.
//
// Mail exchangers beyond the first ones are looked up only if those before them
// have no public address.
//
// The IPv6 addresses of a host that has IPv4 addresses are asked for only when
// needed, as [Config.SkipIPv6] decides, or if the IPv4 addresses take long.
//
// [Resolver.IPv4] looks up the addresses of any name.
//
// Answers are cached as long as their TTL allows, denials as in RFC 2308,
// within the limits of limits.go. Concurrent look-ups of the same records share
// one query. Complete findings about a domain are kept as a whole until the
// first of their answers expires: [Resolver.Known]. Answers must carry the
// question and the message ID of the query. Concurrent UDP queries have
// different ports and IDs, and each port serves only a few queries for a few
// seconds (RFC 5452).
//
// The package does not validate DNSSEC: [Lookup.AD] repeats what the resolver
// says, which is as trustworthy as the path to it. It does not walk down from
// the root, does not use search lists, and does not contact mail exchangers.
//
// Experimental: this package may change in any minor version. Programs verify
// with package engine.
package dnsresolve
