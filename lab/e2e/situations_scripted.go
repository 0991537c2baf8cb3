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

// handler is a script where the configuration has lines of a dialogue, and a
// host else.
func (s *situation) handler() (smtptest.Handler, error) {
	text := strings.Join(s.config, "\n")
	if strings.HasPrefix(text, "S: ") || strings.HasPrefix(text, "raw: ") {
		return smtptest.Script(text), nil
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
	"works": smtptest.TLSWorks, "refused": smtptest.TLSRefused,
	"closes": smtptest.TLSCloses, "stalls": smtptest.TLSStalls,
	"garbage": smtptest.TLSGarbage, "injects": smtptest.TLSInjects,
}

// setHost sets what a line of the configuration says.
func setHost(h *smtptest.Host, word, arg string) (err error) {
	if text, ok := texts(h)[word]; ok {
		*text = arg
		return nil
	}
	if flag, ok := flags(h)[word]; ok {
		*flag = true
		return nil
	}
	switch first, rest, _ := strings.Cut(arg, " "); word {
	case "mx": // the name is in the DNS
	case "box": // a mailbox, and the reply for it
		h.Mailboxes[first] = smtptest.Mailbox(rest)
	case "nth": // the reply to one recipient of the transaction, whoever it is
		h.RCPTFunc = func(_ string, n int) string {
			if strconv.Itoa(n) == first {
				return rest
			}
			return ""
		}
	case "greylist":
		h.Greylist, err = time.ParseDuration(arg)
	case "max":
		h.MaxRecipients, err = strconv.Atoi(arg)
	case "delay":
		err = setDelay(h, first, rest)
	case "tls":
		h.STARTTLS = tlsModes[arg]
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return err
}

// texts are the words before a text that is taken as it stands.
func texts(h *smtptest.Host) map[string]*string {
	return map[string]*string{
		"greeting": &h.Greeting,
		"ehlo":     &h.EHLO,
		"mail":     &h.MAIL,
		"every":    &h.RCPT,    // to every recipient
		"unknown":  &h.Unknown, // to mailboxes that are not there
		"hang":     (*string)(&h.HangAt),
		"close":    (*string)(&h.CloseAt),
	}
}

// flags are the words that say all by themselves.
func flags(h *smtptest.Host) map[string]*bool {
	return map[string]*bool{
		"catch-all":     &h.CatchAll,
		"tls-required":  &h.RequireTLS,
		"no-pipelining": &h.NoPipelining,
		"utf8":          &h.SMTPUTF8,
	}
}

func setDelay(h *smtptest.Host, what, length string) (err error) {
	delays := map[string]*time.Duration{"greeting": &h.GreetingDelay, "reply": &h.ReplyDelay, "rcpt": &h.RCPTDelay}
	delay, ok := delays[what]
	if !ok {
		return fmt.Errorf("unknown delay %q", what)
	}
	*delay, err = time.ParseDuration(length)
	return err
}
