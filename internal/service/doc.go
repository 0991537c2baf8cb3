// Package service is what "rcpt serve" and "rcpt demo" run: it makes the parts
// of a server from a [Config], joins them, and serves until it is told to stop.
//
// [Run] is the whole of it. It builds from the engine outwards: the Verifier,
// the cache of verdicts, the lists that are verified in the background, the
// pages, the HTTP interface; then it starts what works beside the requests: the
// check and the examination of the network, alerts, webhooks, rechecks, and the
// reading of lists and egresses that have changed.
//
// What lives here joins rooms, or turns what one of them knows into what
// another shows. What has a question of its own is a room: store, keyring,
// jobs, transfer, webhook, alert, verdictcache, metrics, certificate, api, and
// web with the pages. Flags, environment and files are read by the command,
// which this package and its rooms do not know.
package service
