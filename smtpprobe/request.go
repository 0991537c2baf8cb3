package smtpprobe

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// check refuses what would not be a sane EHLO or MAIL command.
func (c Config) check() error {
	if c.HELO != "" {
		if err := checkDomain(c.HELO); err != nil {
			return fmt.Errorf("smtpprobe: Config.HELO: %q %w", c.HELO, err)
		}
	}
	if c.MailFrom != "" {
		if err := checkMailbox(c.MailFrom, false); err != nil {
			return fmt.Errorf("smtpprobe: Config.MailFrom: %q %w", c.MailFrom, err)
		}
	}
	if err := c.Pace.Check(); err != nil {
		return fmt.Errorf("smtpprobe: Config.Pace: %w", err)
	}
	if err := checkEgresses(c.Egresses, c.Routes); err != nil {
		return err
	}
	return cmp.Or(
		notNegative("MaxSessions", c.MaxSessions), notNegative("MaxSessionsPerHost", c.MaxSessionsPerHost),
		notNegative("MaxWaitingPerHost", c.MaxWaitingPerHost),
		notNegative("Timeouts.Connect", c.Timeouts.Connect), notNegative("Timeouts.Command", c.Timeouts.Command),
		notNegative("Timeouts.Quit", c.Timeouts.Quit),
	)
}

func notNegative[N int | time.Duration](field string, n N) error {
	if n < 0 {
		return fmt.Errorf("smtpprobe: Config.%s: %v is negative", field, n)
	}
	return nil
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
