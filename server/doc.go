// Package server answers verifications over HTTP (RFC 9110): it is the handler
// of one endpoint,
//
//	GET  /api/v1/verify?apikey=KEY&email=ADDRESS[&details=1][&timeout=SECONDS]
//	POST /api/v1/verify
//
// for any Verifier and under any path. GET returns the verification record of
// package engine, with status 200 for every verdict; POST verifies up to a
// hundred addresses. The key may be sent in the header "Authorization: Bearer
// KEY" (RFC 6750) or "X-API-Key: KEY" instead, which keeps it out of the logs
// of other programs. Every error has the body
// {"message":"...","success":false,"code":"..."}; 401 has no code.
//
// The handler checks first who asks, and limits the size of requests, and the
// number and duration of verifications. A verification whose client closes the
// connection goes on, as long as there are not too many, so that the next try
// has its answer. It logs no keys, query strings or local-parts.
//
// It has neither keys with limits, nor lists, webhooks, pages and metrics:
// those are the service's, "rcpt serve". The listener is the program's, too:
// set the timeouts of its [http.Server].
//
// Experimental: this package may change in any minor version. The HTTP
// interface that it serves is promised.
package server
