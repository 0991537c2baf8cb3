// Package dnstest is a fake DNS for tests and demonstrations, in the manner of net/http/httptest.
//
// A [Server] answers from zone-file text as a recursive resolver would that sees a very small world: a name that the text does not
// mention does not exist (NXDOMAIN), a name with other records has no data of the type asked for (NODATA, RFC 2308), a name that only
// has names below it exists and is empty (RFC 8020), wildcards match as RFC 4592 says, and aliases are followed within the answer.
// [Server.Break] adds what goes wrong in real life: failures, delay, loss, truncation, forged and broken messages.
//
// It is used in one of two ways. In memory the Server is the Exchanger of a dnsresolve.Config: no sockets are opened, and delays are
// timers, so that a test under testing/synctest waits for nothing. [Server.Start] makes it listen on a loopback port over UDP and TCP.
//
// It does not sign zones, transfer them, or speak any record type that package github.com/miekg/dns cannot parse.
package dnstest
