//go:build e2e && linux

package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// startScripted plays the hosts of the table "scripted" in this process.
func (w *world) startScripted() error {
	for _, s := range w.situations["scripted"] {
		handler, err := s.handler()
		if err != nil {
			return fmt.Errorf("%s: %w", s.slug, err)
		}
		server, err := smtptest.StartAt(s.ip.String()+":25", handler)
		if err != nil {
			return err
		}
		w.scripted[s.ip.String()] = server
	}
	return nil
}

// handler is a script where the configuration has lines of a dialogue, and a host else.
func (s *situation) handler() (smtptest.Handler, error) {
	text := strings.Join(s.config, "\n")
	if strings.HasPrefix(text, "S: ") || strings.HasPrefix(text, "raw: ") {
		return smtptest.ParseScript(text)
	}
	host := &smtptest.Host{Name: s.host(), Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}}
	for _, line := range s.config {
		word, arg, _ := strings.Cut(line, " ")
		if err := setHost(host, word, strings.ReplaceAll(arg, `\n`, "\n")); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	return host, nil
}

var tlsModes = map[string]smtptest.TLSMode{
	"works": smtptest.TLSWorks, "refused": smtptest.TLSRefused, "closes": smtptest.TLSCloses, "stalls": smtptest.TLSStalls,
	"garbage": smtptest.TLSGarbage, "injects": smtptest.TLSInjects,
}

// setHost sets what a line of the configuration says.
func setHost(h *smtptest.Host, word, arg string) (err error) {
	switch first, rest, _ := strings.Cut(arg, " "); word {
	case "mx": // the name is in the DNS
	case "greeting":
		h.Greeting = arg
	case "ehlo":
		h.EHLO = arg
	case "mail":
		h.MAIL = arg
	case "every": // to every recipient
		h.RCPT = arg
	case "unknown": // to mailboxes that are not there
		h.Unknown = arg
	case "box": // a mailbox, and the reply for it
		h.Mailboxes[first] = smtptest.Mailbox(rest)
	case "nth": // the reply to one recipient of the transaction, whoever it is
		h.RCPTFunc = func(_ string, n int) string {
			if strconv.Itoa(n) == first {
				return rest
			}
			return ""
		}
	case "catch-all":
		h.CatchAll = true
	case "greylist":
		h.Greylist, err = time.ParseDuration(arg)
	case "max":
		h.MaxRecipients, err = strconv.Atoi(arg)
	case "delay":
		err = setDelay(h, first, rest)
	case "hang":
		h.HangAt = smtptest.Phase(arg)
	case "close":
		h.CloseAt = smtptest.Phase(arg)
	case "tls":
		h.STARTTLS = tlsModes[arg]
	case "tls-required":
		h.RequireTLS = true
	case "no-ehlo":
		h.NoEHLO = true
	case "no-pipelining":
		h.NoPipelining = true
	case "utf8":
		h.SMTPUTF8 = true
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return err
}

func setDelay(h *smtptest.Host, what, length string) error {
	delay, err := time.ParseDuration(length)
	switch what {
	case "greeting":
		h.GreetingDelay = delay
	case "reply":
		h.ReplyDelay = delay
	case "rcpt":
		h.RCPTDelay = delay
	default:
		return fmt.Errorf("unknown delay %q", what)
	}
	return err
}
