// Package plan computes how long lists take at the limits that rcpt gives
// providers: a simulation in steps of a minute, without a network. What it
// assumes stands in assume.go; the limits are those of package provider, as
// rcpt itself uses them.
package plan
