// Package client is a client of the verification service of rcpt over HTTP.
//
// A [Client] is a [rcpt.Verifier], and its results are those of package engine:
// a program that verifies addresses by itself asks a service instead by one
// line, and the other way round. Results have their details, and so their
// reason, suggestion and time to ask again.
//
// A Client retries, with growing waits, requests that failed because the server
// was busy (429 and 503, by their Retry-After) or could not be reached. It
// sends the key in a header, never in a URL, and follows no redirect, which
// would send the key to another server. Its errors contain neither the key nor
// the address.
//
// With a test key of the service, which begins with rcpt_test_, nobody is
// asked: the address says the answer (docs/testing.md in the repository).
//
// Experimental: this package may change in any minor version. The HTTP
// interface that it uses is promised.
package client
