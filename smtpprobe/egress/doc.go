// Package egress holds the ways out to the mail hosts: SOCKS5 proxies and source
// addresses of this machine.
//
// With several egresses, one is chosen for each mail host, always the same
// ([Egresses.Choose]). An egress that fails is reported as an [Error], so that
// no mail host is blamed for it.
package egress
