// Package client asks a verification service of rcpt over HTTP. It needs only
// the standard library.
//
// A [Client] retries, with growing waits, what failed because the server was
// busy (429 and 503, by their Retry-After) or could not be reached. It sends
// the key in a header, never in a URL, and follows no redirect, which would
// show the key to another server. Its errors contain neither the key nor the
// address.
package client
