package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/rcpt/rcpt/dnsresolve"
)

// maxURL is the length of the longest URL, in octets.
const maxURL = 2000

// CheckURL returns what is wrong with the URL of a receiver, in words for its
// owner. Where the URL leads is checked when it is sent to.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return fmt.Errorf("it is longer than %d octets", maxURL)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return errors.New("it has blanks or control characters")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("it must look like https://receiver.example/path")
	case u.User != nil:
		return errors.New("it must not have a user or password: check the signature instead")
	case u.Fragment != "":
		return errors.New("it must not have a fragment")
	}
	return nil
}

// gate decides which addresses may be dialled.
type gate struct {
	allowed []netip.Prefix
	inside  bool // only the allowed ones: HTTP without TLS stays within them
}

// control is called with the address of each connection before it is made
// ([net.Dialer.Control]). A name that was public when it was checked may lead
// elsewhere now.
func (g gate) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	if slices.ContainsFunc(g.allowed, func(network netip.Prefix) bool { return network.Contains(ip) }) {
		return nil
	}
	if block := dnsresolve.Reserved(ip); block != "" {
		return fmt.Errorf("the address %v (%s) is not public: "+
			"only the operator of the server can allow it, with --webhook-allow-net", ip, block)
	}
	if g.inside {
		return errors.New("without TLS only receivers in networks of --webhook-allow-net are allowed: use https")
	}
	return nil
}
