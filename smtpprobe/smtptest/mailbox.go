package smtptest

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Mailbox is the reply that a mailbox gets to RCPT. Any text is possible; the
// zero value accepts.
type Mailbox string

// Mailboxes of the usual kinds.
const (
	Accepts   Mailbox = "250 2.1.5 <%s>: recipient accepted"
	Full      Mailbox = "452 4.2.2 <%s>: mailbox is full, try again later"
	OverQuota Mailbox = "552 5.2.2 <%s>: mailbox is over its quota"
	Disabled  Mailbox = "550 5.2.1 <%s>: mailbox is disabled"
	Moved     Mailbox = "551 5.1.6 <%s>: mailbox has moved, no forwarding address"
	Missing   Mailbox = "missing" // as if it were not among the mailboxes
)

// Replies that follow from no field.
const (
	relayDenied  = "550 5.7.1 <%s>: relaying denied"
	needSMTPUTF8 = "553 5.6.7 <%s>: address needs SMTPUTF8"
)

// replyTo is what the host says to RCPT.
func (h *Host) replyTo(t *talk, rcpt string) string {
	if h.RCPTFunc != nil {
		if reply := h.RCPTFunc(t.visit, rcpt); reply != "" {
			return reply
		}
	}
	switch {
	case h.RCPT != "":
		return h.RCPT
	case !t.utf8 && !isASCII(rcpt):
		return needSMTPUTF8
	case !h.serves(rcpt):
		return relayDenied
	case h.Greylist > 0 && !h.greylist.known(triplet{t.visit.Client, t.sender, strings.ToLower(rcpt)}, h.Greylist):
		return orDefault(h.GreylistReply, defaultGreylistReply)
	}
	return h.mailboxReply(rcpt)
}

func (h *Host) serves(rcpt string) bool {
	_, domain := split(rcpt)
	return len(h.Domains) == 0 ||
		slices.ContainsFunc(h.Domains, func(d string) bool { return strings.EqualFold(d, domain) })
}

func (h *Host) mailboxReply(rcpt string) string {
	rcpt = strings.ToLower(rcpt)
	local, _ := split(rcpt)
	m, ok := h.Mailboxes[rcpt]
	if !ok {
		m, ok = h.Mailboxes[local]
	}
	if !ok {
		m, ok = h.pattern(local)
	}
	if m == Missing || !ok && !h.CatchAll && local != "postmaster" {
		return orDefault(h.Unknown, defaultUnknown)
	}
	return orDefault(string(m), string(Accepts))
}

// pattern finds the longest pattern that a local-part matches.
func (h *Host) pattern(local string) (found Mailbox, ok bool) {
	longest := -1
	for key, m := range h.Mailboxes {
		n := len(key) - 1
		if n <= longest || n < 0 || !strings.HasPrefix(local, key[:n]) {
			continue
		}
		if key[n] == '*' || key[n] == '#' && strings.Trim(local[n:], "0123456789") == "" {
			found, ok, longest = m, true, n
		}
	}
	return found, ok
}

// split cuts a mailbox at its last "@": a quoted local-part may have others.
func split(mailbox string) (local, domain string) {
	i := strings.LastIndexByte(mailbox, '@')
	if i < 0 {
		return mailbox, ""
	}
	return mailbox[:i], mailbox[i+1:]
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// triplet is what greylisting tells attempts apart by.
type triplet struct {
	client       netip.Addr
	sender, rcpt string
}

// greylist remembers first attempts.
type greylist struct {
	mu    sync.Mutex
	first map[triplet]time.Time
}

// known reports whether the first attempt of t was at least delay ago, and
// notes the first.
func (g *greylist) known(t triplet, delay time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first, ok := g.first[t]
	if !ok {
		if g.first == nil {
			g.first = make(map[triplet]time.Time)
		}
		g.first[t] = time.Now()
		return false
	}
	return time.Since(first) >= delay
}
