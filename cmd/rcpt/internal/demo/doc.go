// Package demo is a little mail world in memory: a DNS, mail hosts of every
// temper, and addresses to try with what they come to.
//
// It needs no network and sends nothing anywhere, and its names are reserved
// for examples (RFC 2606). The real engine runs on it. It stands on the public
// fakes dnsresolve/dnstest and smtpprobe/smtptest, which nothing else that is
// shipped may import.
package demo
