// Package client asks a verification service of rcpt over HTTP. It needs nothing but the standard library.
//
// A [Client] tries again, with growing waits, what failed because the server was busy (429 and 503, by their Retry-After) or out of reach. It
// shows the key in a header, never in a URL, and follows no redirect, which would show it to somebody else. Its errors name neither the key nor
// the address.
package client
