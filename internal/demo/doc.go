// Package demo simulates mail hosts in memory: a DNS server, mail hosts of
// every kind, and addresses to try with their expected results.
//
// It needs no network and sends nothing anywhere, and its names are reserved
// for examples (RFC 2606). The real engine runs on it. It also invents clients
// and their usage for the pages of "rcpt demo". Of what the command links, only
// this package and package world may import the fakes, dnsresolve/dnstest and
// smtpprobe/smtptest.
package demo
