package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// proxyURL is the URL of a proxy as it was given. It is looked at after the flags have been read, because errors before that show the value, and
// there may be a password anywhere in it.
type proxyURL string

// sourceIP is an address of this machine.
type sourceIP netip.Addr

func (s *sourceIP) UnmarshalText(text []byte) error {
	ip, err := netip.ParseAddr(string(text))
	if err != nil {
		return fmt.Errorf("%q is not an IP address: write an address of this machine, such as 192.0.2.1", text)
	}
	*s = sourceIP(ip)
	return nil
}

// egressFlags choose the way out to the mail hosts.
type egressFlags struct {
	Proxy    []proxyURL `placeholder:"URL" help:"Connect to mail hosts through socks5://[USER:PASSWORD@]HOST:PORT; repeatable."`
	SourceIP []sourceIP `name:"source-ip" placeholder:"IP" help:"Connect to mail hosts from this address of this machine; repeatable."`
}

// proxies reads the URLs. Its errors show nothing of them.
func (f egressFlags) proxies() ([]*url.URL, error) {
	var proxies []*url.URL
	for i, text := range f.Proxy {
		proxy, err := url.Parse(string(text))
		if err == nil {
			_, err = egress.Proxy(proxy, nil)
		}
		if err != nil {
			return nil, usage(fmt.Errorf("--proxy: value %d %w", i+1, errNoProxy))
		}
		proxies = append(proxies, proxy)
	}
	return proxies, nil
}

var errNoProxy = errors.New("is not socks5://HOST:PORT or socks5://USER:PASSWORD@HOST:PORT; " +
	"in user name and password write a comma as %2C, and other signs of URLs in the same way; the value is not shown, as it may be secret")

// sourceIPs finds out whether this machine has the addresses.
func (f egressFlags) sourceIPs() ([]netip.Addr, error) {
	var all []netip.Addr
	for _, ip := range f.SourceIP {
		if _, err := egress.SourceIP(netip.Addr(ip)); err != nil {
			return nil, usage(fmt.Errorf("--source-ip: this machine cannot connect from %s: name one of its own addresses", netip.Addr(ip)))
		}
		all = append(all, netip.Addr(ip))
	}
	return all, nil
}
