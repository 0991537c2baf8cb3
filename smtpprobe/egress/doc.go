// Package egress holds the egresses to the mail hosts: SOCKS5 proxies and
// source addresses of this machine.
//
// With several egresses, one is chosen for each mail host, always the same one
// ([Egresses.Choose]). An egress that fails returns an [Error], so that no mail
// host is blamed for it. Package smtpprobe has the rules for egresses that
// fail, that providers block, or that come and go.
//
// Experimental: this package may change in any minor version.
package egress
