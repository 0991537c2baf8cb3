package demo

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/internal/world"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Sockets is the World on loopback addresses, for other processes. Its mail
// hosts are separate from those of a [World]: they do not share greylists.
type Sockets struct {
	Resolver string       // of the DNS server, as HOST:PORT
	SMTPPort string       // of all mail hosts
	Network  netip.Prefix // of all mail hosts

	dns   *dnstest.Server
	hosts []*smtptest.Server
}

// The hosts of TEST-NET-1 (RFC 5737) are at loopback addresses with the same
// last octet.
const (
	documentation = "192.0.2."
	loopback      = "127.0.2."
)

// portTries is how many ports are tried: a port that is free at one address may
// be in use at another.
const portTries = 10

// Listen opens the sockets on free ports. It fails on systems whose only
// loopback address is 127.0.0.1, such as macOS.
func Listen() (*Sockets, error) { return ListenOn("0") }

// ListenOn is [Listen] with the mail hosts on a port; "0" is a free one.
func ListenOn(port string) (*Sockets, error) {
	w := read(documentation, loopback)
	s := &Sockets{Network: netip.MustParsePrefix(loopback + "0/24"), dns: w.DNS()}
	var err error
	if s.Resolver, err = s.dns.Start(); err != nil {
		return nil, err
	}
	for range portTries {
		if err = s.listen(w, port); err == nil {
			return s, nil
		}
		s.closeHosts()
	}
	s.dns.Close()
	return nil, err
}

// listen opens all mail hosts on a port, or on the free one that the first one
// gets.
func (s *Sockets) listen(w *world.World, port string) error {
	s.SMTPPort = port
	for ip, host := range w.Hosts() {
		address := net.JoinHostPort(ip, s.SMTPPort)
		if host == nil { // a socket cannot be silent before the greeting
			host = &smtptest.Host{Greeting: smtptest.Hangs}
		}
		server, err := smtptest.StartAt(address, host)
		if err != nil {
			return fmt.Errorf("mail host at %s: %w", address, err)
		}
		s.hosts = append(s.hosts, server)
		if _, s.SMTPPort, err = net.SplitHostPort(server.Addr); err != nil {
			return err
		}
	}
	return nil
}

// Close stops the servers.
func (s *Sockets) Close() {
	s.dns.Close()
	s.closeHosts()
}

func (s *Sockets) closeHosts() {
	for _, host := range s.hosts {
		host.Close()
	}
	s.hosts = nil
}
