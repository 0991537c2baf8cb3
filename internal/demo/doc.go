// Package demo simulates mail hosts in memory: a DNS server, mail hosts of
// every kind, and addresses to try with their expected results.
//
// It needs no network and sends nothing anywhere, and its names are reserved
// for examples (RFC 2606). The real engine runs on it. No other production
// package may import the fakes that it uses, dnsresolve/dnstest and
// smtpprobe/smtptest.
package demo
