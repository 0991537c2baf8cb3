// Package webhook sends the webhooks of the store, after the Standard Webhooks
// specification 1.0.0 (https://www.standardwebhooks.com).
//
// Every node may send. A webhook is claimed with a lease and has the same ID on
// every try, so that receivers can tell a repetition. It is confirmed by a
// status from 200 to 299. Anything else is tried again on the specification's
// schedule, for three days; 410 Gone disables the receiver.
//
// Receivers are chosen by clients: addresses that are not public are refused
// when the connection is made, after the name was resolved, unless the operator
// allows them. Redirects are not followed, proxies of the environment are not
// used, and time and lengths are limited.
package webhook
