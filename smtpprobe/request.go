package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Request is one question to the mail hosts of a domain.
type Request struct {
	Hosts    []Host // in the order to try them
	Target   string // mailbox in the form RCPT TO wants, without angle brackets
	Control  string // random mailbox in the same domain; empty: do not ask about one
	SMTPUTF8 bool   // Target needs SMTPUTF8

	// Caller is the list that the probe is of: such a probe waits for a session
	// for as long as it takes. Default: it is a single check. Those come first,
	// and a part of each limit is kept for them.
	Caller *Caller

	// Budget is the time that the mail hosts have for this probe, not counting
	// the wait for a free session. A single check ends after the Budget, that
	// wait included: with a failure of kind smtp.KindLimited where
	// it still waited, or had waited so that the host did not have its time. 0:
	// the timeouts of the pool alone bound it.
	Budget time.Duration
}

// Host is a mail host with the addresses that may be dialled.
type Host struct {
	Name  string // for the findings, and for TLS where it can be a host's name (server name indication, RFC 6066 §3)
	Addrs []netip.Addr

	// More is called for further addresses, once, when none of Addrs could be
	// reached, or they refused for the moment before RCPT, and before the next
	// host is tried. Its context ends with the time of the probe, or halfway
	// there where other addresses are left. Default: there are none.
	More func(ctx context.Context) []netip.Addr
}

// check refuses what could not be put on the wire as one command: the guard
// against injected commands, whatever the caller has checked.
func (r Request) check() error {
	if err := checkMailbox(r.Target, r.SMTPUTF8); err != nil {
		return fmt.Errorf("smtpprobe: target: %w", err)
	}
	if r.Control != "" {
		if err := checkMailbox(r.Control, r.SMTPUTF8); err != nil {
			return fmt.Errorf("smtpprobe: control: %w", err)
		}
	}
	if r.Budget < 0 {
		return errors.New("smtpprobe: the budget is negative")
	}
	for _, h := range r.Hosts {
		if err := checkAddrs(h.Name, h.Addrs); err != nil {
			return err
		}
	}
	return nil
}

func checkAddrs(host string, addrs []netip.Addr) error {
	for _, addr := range addrs {
		if !addr.IsValid() {
			return fmt.Errorf("smtpprobe: mail host %q: an address is missing", host)
		}
	}
	return nil
}

// checkDomain accepts the bytes of ASCII domain names and address literals.
func checkDomain(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > maxDomain:
		return fmt.Errorf("is longer than %d octets", maxDomain)
	}
	const bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]"
	for _, r := range s {
		if !strings.ContainsRune(bytes, r) {
			return fmt.Errorf("has %q, which no domain name or address literal has", r)
		}
	}
	return nil
}

// checkMailbox accepts what stays one argument between "<" and ">". It is no
// syntax check: it only knows quoted strings (RFC 5321 §4.1.2), inside of which
// brackets and spaces are harmless.
func checkMailbox(s string, smtputf8 bool) error {
	switch {
	case len(s) > maxMailbox:
		return fmt.Errorf("is longer than %d octets", maxMailbox)
	case !utf8.ValidString(s):
		return errors.New("is not valid UTF-8")
	case smtp.Clean(s) != s:
		return errors.New("has a control or format character")
	case !smtputf8 && !smtp.IsPrintableASCII(s):
		return errors.New("has a non-ASCII character and SMTPUTF8 was not asked for")
	}
	return checkPath(s)
}

// checkPath goes through the mailbox with the two states of a quoted string.
func checkPath(s string) error {
	quoted, escaped, at := false, false, -1
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '@':
			at = i
		case strings.ContainsRune(` <>(),;\`, r):
			return fmt.Errorf("has %q outside a quoted string", r)
		}
	}
	switch {
	case quoted:
		return errors.New("has a quoted string without an end")
	case at <= 0 || at == len(s)-1:
		return errors.New("is not local-part@domain")
	}
	return nil
}
