// Package server answers verifications over HTTP (RFC 9110).
//
// A [Server] serves
//
//	GET /api/v1/verify?apikey=KEY&email=ADDRESS[&details=1][&timeout=SECONDS]
//	POST /api/v1/verify
//	GET /api/v1/usage
//	GET /healthz
//
// and more that package openapi tells of. The answer to the first is the
// verification record of package engine, with status 200 whatever the verdict;
// a POST asks about up to a hundred addresses. The key may come in the header
// "Authorization: Bearer KEY" (RFC 6750) or "X-API-Key: KEY" instead, which
// keeps it out of other programs' logs. Every error has the body
// {"message":"...","code":"..."}, but for 401, which has no code.
//
// The Server looks at the key before anything else, holds a bounded number of
// connections, runs a bounded number of verifications at a time, bounds how
// long and how large everything is that a client may send, never repeats a query in a redirect,
// cancels a verification whose client has gone, and ends gracefully. Keys,
// query strings and local-parts never get into its log.
//
// It does not terminate TLS and does not count how much a client with the key
// asks: for use beyond the own machine put a reverse proxy before it.
package server
