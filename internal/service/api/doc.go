// Package api is the HTTP interface of the service (RFC 9110).
//
// A [Server] serves
//
//	GET /api/v1/verify?apikey=KEY&email=ADDRESS[&details=1][&timeout=SECONDS]
//	POST /api/v1/verify
//	GET /api/v1/usage
//	GET /healthz
//
// and the other paths that package openapi describes. The first returns the
// verification record of package engine, with status 200 for every verdict; a
// POST verifies up to a hundred addresses. The key may be sent in the header
// "Authorization: Bearer KEY" (RFC 6750) or "X-API-Key: KEY" instead, which
// keeps it out of the logs of other programs. Every error has the body
// {"message":"...","success":false,"code":"..."}; 401 has no code.
//
// The Server checks the key first, and limits connections, concurrent
// verifications, and the size and duration of requests. It never repeats a
// query in a redirect, and shuts down gracefully. A verification whose client
// closes the connection goes on, as long as there are not too many, so that the
// next try has its answer. The Server logs no keys, query strings or
// local-parts. Rates and quotas of keys are in package keyring.
//
// The Server speaks TLS if [Config] has certificates for it (package
// certificate gets them); else put a reverse proxy in front of it, for access
// from other machines.
package api
