// Package rhsbl looks domains up in lists of domains in the DNS (RFC 5782 §3),
// such as dbl.spamhaus.org.
//
// Experimental: this package may change in any minor version.
package rhsbl
