// Package server answers verifications over HTTP (RFC 9110) in a program of
// your own: [Handler] is a handler of one endpoint for any [rcpt.Verifier],
//
//	GET  /api/v1/verify?email=ADDRESS[&details=1][&timeout=SECONDS]
//	POST /api/v1/verify
//
// under any prefix, and of /openapi.json beside it, which describes the two. It
// is what the service answers, so the clients of the service can ask it. GET
// returns the verification record, the JSON of a [rcpt.Result], with status 200
// for every verdict; POST verifies up to a hundred addresses. Every error has
// the body {"message":"...","success":false,"code":"..."}; 401 has no code.
//
// The handler checks first who asks, and limits the size of requests, and the
// number and duration of verifications. A verification ends when its client
// closes the connection. It logs no keys, query strings or local-parts.
//
// It has neither keys with limits, nor lists, webhooks, pages and metrics:
// those are the service's, "rcpt serve". The listener is the program's, too:
// set the timeouts of its [http.Server].
//
// Experimental: this package may change in any minor version. The HTTP
// interface that it serves is promised.
package server
