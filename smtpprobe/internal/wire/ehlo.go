package wire

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// unknownAddress is our name where our own address is not known, as behind a
// proxy. It is a lie that harms nobody and obeys RFC 5321 §4.1.4.
const unknownAddress = "[127.0.0.1]"

// ownName returns the name for EHLO: the configured one, or the connection's
// own address as a literal (RFC 5321 §4.1.3, §4.1.4).
func (c *Conn) ownName() string {
	if c.config.HELO != "" {
		return c.config.HELO
	}
	return addressLiteral(c.stream.tcp.LocalAddr())
}

func addressLiteral(local net.Addr) string {
	if local == nil {
		return unknownAddress
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil || at.Addr().IsUnspecified() {
		return unknownAddress
	}
	addr := at.Addr().WithZone("")
	if addr.Is6() {
		return "[IPv6:" + addr.String() + "]"
	}
	return "[" + addr.String() + "]"
}

// keywords returns the extensions of a reply to EHLO (RFC 5321 §4.1.1.1),
// upper-case. The first line is the host's own name.
func keywords(reply smtp.Reply) []string {
	var found []string
	for _, line := range reply.Lines[1:] {
		keyword, _, _ := strings.Cut(line, " ")
		if keyword = strings.ToUpper(keyword); isKeyword(keyword) && !slices.Contains(found, keyword) {
			found = append(found, keyword)
		}
	}
	return found
}

func isKeyword(s string) bool {
	return s != "" && len(s) <= maxKeyword && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}
