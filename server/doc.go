// Package server answers verifications over HTTP (RFC 9110).
//
// A [Server] serves
//
//	GET /api/v1/verify?apikey=KEY&email=ADDRESS[&details=1][&timeout=SECONDS]
//	POST /api/v1/verify
//	GET /api/v1/usage
//	GET /healthz
//
// and more, as package openapi describes. The answer to the first is the
// verification record of package engine, with status 200 whatever the verdict;
// a POST asks about up to a hundred addresses. The key may be sent in the
// header "Authorization: Bearer KEY" (RFC 6750) or "X-API-Key: KEY" instead,
// which keeps it out of other programs' logs. Every error has the body
// {"message":"...","code":"..."}; 401 has no code.
//
// The Server checks the key before anything else, and limits connections,
// concurrent verifications, and the size and duration of what clients send. It
// never repeats a query in a redirect, cancels a verification whose client has
// gone, and ends gracefully. Keys, query strings and local-parts never get into
// its log. Rates and quotas of keys are in package keyring.
//
// It does not terminate TLS: for use beyond the own machine put a reverse proxy
// before it.
package server
