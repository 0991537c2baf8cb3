// Package metrics counts what the service does, for Prometheus.
//
// A [Metrics] has a registry of its own. The server's hooks report requests and
// verifications ([Metrics.Request], [Metrics.Verified], [Metrics.Refused]), the
// engine's hooks the steps of each ([Metrics.Hooks]), and what other packages
// count is read from them at each scrape ([Config]). [Metrics.Handler] serves
// everything in the text format of Prometheus.
//
// # Labels
//
// Every label is a word of a set that is fixed before the first request:
// reasons, DNS statuses, routes of the server, names of known providers. Words
// outside of these are counted as "other". So no address, customer's domain,
// key or name of a stranger's host can become a label, and the number of series
// does not grow with what clients send.
//
// # Names
//
// They follow the naming conventions of Prometheus: the prefix rcpt_, base
// units (_seconds), _total for counters. docs/monitoring.md says what each is
// for.
package metrics
