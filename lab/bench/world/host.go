package world

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// softErrorDelay is how late a reply is from a host that has refused many
// recipients in the session (smtpd_error_sleep_time of Postfix).
const softErrorDelay = time.Second

// host is a mail host at work.
type host struct {
	traits
	world    *World
	sessions gauge
}

// smtp is what clients meet. Before the greeting they wait twice, as they would
// for the handshake of TCP, too.
func (h *host) smtp() *smtptest.Host {
	delay := h.world.spec.Delay
	smtp := &smtptest.Host{
		Name: h.name, NoPipelining: !h.pipelining, MaxRecipients: h.maxRecipients, Forgets: true,
		GreetingDelay: 2*delay + h.late, ReplyDelay: delay + h.late,
		DATA: "554 5.5.1 No mail is taken here", // counted: nobody should ever get here
		Say:  h.say, RCPTFunc: h.recipient, Ended: h.ended,
	}
	if h.startTLS {
		smtp.STARTTLS = smtptest.TLSWorks
	}
	return smtp
}

func (h *host) say(v *smtptest.Visit, command, _ string) string {
	if command == "" {
		return h.enter(v)
	}
	verb, _, _ := strings.Cut(command, " ")
	h.world.counts.commands.add(strings.ToUpper(verb))
	if h.softErrors > 0 && v.Refused >= h.softErrors {
		v.Sleep(softErrorDelay)
	}
	return ""
}

// enter counts a session until it is over: a client that has seen that may open
// the next one. It returns the greeting that refuses the session; empty: it is
// welcome.
func (h *host) enter(v *smtptest.Visit) (refusal string) {
	counts, operator := h.world.counts, &h.world.all
	counts.connections.Add(1)
	counts.sessions.enter()
	open := h.sessions.enter()
	if h.maxSessions > 0 && open > int64(h.maxSessions) {
		refusal = "421 4.7.0 " + h.name + " Error: too many connections from your address"
	}
	if operator.rules.SessionsPerClient > 0 {
		if refusal = operator.enters(v.Client, time.Now()); strings.HasPrefix(refusal, "554") {
			refusal += "\n" + smtptest.Closes
		}
	}
	if refusal != "" {
		counts.turnedAway.Add(1)
	}
	return refusal
}

func (h *host) ended(v *smtptest.Visit) {
	counts := h.world.counts
	counts.waits.Add(int64(v.Waits))
	if v.Lost {
		counts.noQUIT.Add(1)
	}
	if h.world.all.rules.SessionsPerClient > 0 {
		h.world.all.leaves(v.Client)
	}
	h.sessions.leave()
	counts.sessions.leave()
}

// recipient answers RCPT. What takes long holds up what follows in its group.
func (h *host) recipient(v *smtptest.Visit, rcpt string) string {
	if h.maxErrors > 0 && v.Refused >= h.maxErrors {
		return "421 4.7.0 " + h.name + " Error: too many errors"
	}
	reply, late := h.world.spec.answer(strings.ToLower(rcpt))
	if late {
		v.Sleep(h.world.spec.MailboxMix.SlowDelay)
	}
	return reply
}
