package smtptest

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// refusesEverybody are the ordinary words in which hosts that protect
// themselves against harvesting refuse everybody, once they have turned.
var refusesEverybody = []struct{ name, text string }{
	{"5.1.1", "550 5.1.1 <%s>: Recipient address rejected: User unknown"},
	{"5.1.0", "550 5.1.0 Address rejected"},
	{"5.4.1", "550 5.4.1 Recipient address rejected: Access denied"},
	{"no-code", "550 User unknown"},
	{"5.7.1", "550 5.7.1 <%s>: Recipient address rejected: User unknown"},
}

// turning is a host that checks its recipients, and turns: then it refuses
// everybody, in ordinary words.
type turning struct {
	refusals   int           // that it takes; 0: any number
	recipients int           // that it takes; 0: any number
	mails      int           // transactions that it takes in a session; 0: any number
	forgives   bool          // with each MAIL, what it counted before
	lasts      time.Duration // for the client address, however many sessions it has; 0: for the session
	text       string

	mu     sync.Mutex
	client tally     // of all sessions
	until  time.Time // turned
}

// tally is what a turning host counts.
type tally struct{ recipients, refusals, mails int }

// turningHosts turn after some refusals or recipients, for the session or for
// the client address, or with the second transaction of a session.
func turningHosts() []hostile {
	var hosts []hostile
	for _, words := range refusesEverybody {
		add := func(name string, h *turning) {
			h.text = words.text
			hosts = append(hosts, hostile{name + "-" + words.name, h})
		}
		for _, n := range []int{3, 5, 20} {
			add(fmt.Sprintf("turns-after-%d-refusals", n), &turning{refusals: n})
			add(fmt.Sprintf("turns-after-%d-recipients", n), &turning{recipients: n})
			add(fmt.Sprintf("turns-for-a-while-after-%d-refusals", n), &turning{refusals: n, lasts: 20 * time.Second})
		}
		add("turns-with-second-transaction", &turning{mails: 1})
		add("turns-until-next-mail-after-3-refusals", &turning{refusals: 3, forgives: true})
	}
	return hosts
}

// ServeSMTP plays the host on one connection.
func (h *turning) ServeSMTP(conn net.Conn) {
	session := &tally{}
	host := &Host{RCPTFunc: func(rcpt string, n int) string { return h.answer(session, rcpt, n) }}
	host.ServeSMTP(conn)
}

// answer is what the host says to the n-th RCPT of a transaction.
func (h *turning) answer(t *tally, rcpt string, n int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lasts > 0 {
		t = &h.client
	}
	if n == 1 {
		t.mails++
		if h.forgives {
			t.refusals = 0
		}
	}
	if time.Now().Before(h.until) || h.hasEnough(t) {
		return h.text
	}
	reply := realReply(rcpt)
	t.recipients++
	if !strings.HasPrefix(reply, "2") {
		t.refusals++
		if h.text == refusesEverybody[1].text || h.text == refusesEverybody[2].text {
			return reply
		}
		return h.text // the same words as ever
	}
	return reply
}

// hasEnough reports whether the host turns.
func (h *turning) hasEnough(t *tally) bool {
	enough := h.refusals > 0 && t.refusals >= h.refusals ||
		h.recipients > 0 && t.recipients >= h.recipients || h.mails > 0 && t.mails > h.mails
	if enough && h.lasts > 0 {
		h.until = time.Now().Add(h.lasts)
		*t = tally{}
	}
	return enough
}
