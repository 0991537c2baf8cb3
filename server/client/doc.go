// Package client is a client of the verification service of rcpt over HTTP. It
// imports only the standard library.
//
// A [Client] retries, with growing waits, requests that failed because the
// server was busy (429 and 503, by their Retry-After) or could not be reached.
// It sends the key in a header, never in a URL, and follows no redirect, which
// would send the key to another server. Its errors contain neither the key nor
// the address.
//
// Experimental: this package may change in any minor version. The HTTP
// interface that it uses is promised.
package client
