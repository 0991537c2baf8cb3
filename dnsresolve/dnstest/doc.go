// Package dnstest is a fake DNS for tests and demonstrations, like
// net/http/httptest for HTTP.
//
// A [Server] answers from zone-file text, as a recursive resolver of a very
// small world would: a name that the text does not mention does not exist
// (NXDOMAIN), a name with other records has no data of the type (NODATA, RFC
// 2308), a name that only has names below it exists and is empty (RFC 8020),
// wildcards match as in RFC 4592, and aliases are followed within the answer.
// [Server.Break] adds faults of real life: failures, delay, loss, truncation,
// forged and broken messages.
//
// There are two ways to use it. In memory the Server is the Exchanger of a
// dnsresolve.Config: no sockets are opened and delays are timers, so that a
// test under testing/synctest takes no time. [Server.Start] makes it listen on
// a loopback port over UDP and TCP.
//
// It does not sign or transfer zones, and knows only the record types that
// package github.com/miekg/dns can parse.
package dnstest
