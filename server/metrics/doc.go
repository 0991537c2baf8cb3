// Package metrics counts what the service does, for Prometheus.
//
// A [Metrics] has a registry of its own. The server's hooks tell it about requests and verifications ([Metrics.Request], [Metrics.Verified],
// [Metrics.Refused]), the engine's about the steps of each ([Metrics.Hooks]), and what others count already is read from them when somebody looks
// ([Config]). [Metrics.Handler] shows it all in the text format of Prometheus.
//
// # Labels
//
// Every label is a word of a set that is closed before the first request: reasons, statuses of the DNS, routes of the server, names of the table of
// providers. What is in none of them is counted as "other". So neither an address nor a customer's domain, a key or the name of a stranger's
// host can become a label, and the number of series does not grow with what clients send.
//
// # Names
//
// They follow the naming conventions of Prometheus: the prefix rcpt_, base units (_seconds), _total for what only grows. docs/monitoring.md says what
// each is good for.
package metrics
