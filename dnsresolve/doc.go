// Package dnsresolve finds where mail for a domain goes: its mail exchangers and their addresses.
//
// It asks recursive resolvers over UDP and TCP (RFC 1035, RFC 7766) with EDNS0 (RFC 6891), and follows RFC 5321 §5.1: the MX records in
// the order of preference; where there are none, the domain's own addresses, IPv4 and IPv6; no mail at all where RFC 7505 says so.
// [Findings] are facts with the evidence for each, and no verdict: NXDOMAIN and NODATA are told apart from the failures, which say
// nothing about the domain. A domain is called absent only when the resolver denied its MX, A and AAAA records alike, for there are
// servers that deny a name because they do not know a record type. [Host.Incomplete] and [Host.Omitted] tell of addresses that are not all. A mail
// exchanger whose name cannot be that of a host is listed as [StatusMalformed] and not looked up.
//
// The first mail exchangers are looked up, and the next ones only while those before them are dead: without a public address, for good.
//
// The IPv6 addresses of a host that has others are asked for only when they are wanted, where [Config.Suffices] says so, or when the others are long in
// coming.
//
// [Resolver.IPv4] looks up the addresses of one name, whatever they are for.
//
// Answers are cached as long as their TTL allows, denials by RFC 2308, within the limits of limits.go; concurrent questions for the
// same records are asked once. What was found about a domain in full is kept as a whole as long as every answer that it rests on:
// [Resolver.Known]. Answers must carry the question and the message ID of the query; of the UDP queries under way, each has a port and an
// ID of its own, and no port serves more than a few queries and seconds (RFC 5452).
//
// It does not validate DNSSEC: [Lookup.AD] repeats what the resolver says, which is worth as much as the way to the resolver. It does
// not walk down from the root, does not use search lists, and does not contact the mail exchangers.
package dnsresolve
