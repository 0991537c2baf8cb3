package smtpprobe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// flight is one transaction: it names the targets of some asks, and a control for each of their domains about which it is not known yet whether
// the host takes every address there.
type flight struct {
	s       *session
	host    *mailHost
	asks    []*ask
	mail    said
	named   []recipient // the targets in the order of the asks, then the controls
	fresh   bool        // the first transaction of its session
	unasked bool        // the question could not be put
	last    bool        // of its session: QUIT comes with it where that saves a wait
	// cutShort is set when the session ended, or the time, between the last recipient's answer and that to RSET.
	cutShort bool
	pace     pace
	inStep   bool // the reply to RSET at its end can be no other
	// elsewhere is set when RSET was answered in other words than in sessions before, which another machine behind the same address may have.
	elsewhere bool
	// shifted is set when a reply before the first to a recipient, in a group, may have swallowed the next, or be the next.
	shifted bool
	began   time.Time // when the recipients' turn came
	// wornOut is set when the host hung up over more refusals than it was known to bear: it says nothing about the number of recipients.
	wornOut bool
	// confirmed is set when the target was refused by itself, in a domain whose control was accepted.
	confirmed bool
}

// recipient is a mailbox named in a flight.
type recipient struct {
	mailbox string
	domain  string
	control bool
	before  int  // recipients that were named on the session before this one
	doubted bool // the reply was not believed, and there is no time to ask again
	// unplaced is set when what was heard may be the answer about another.
	unplaced bool
	said
}

// said is a command and what was said to it: lines of the session's transcript, and the reply.
type said struct {
	command  int // its line; the reply's are from…to
	from, to int
	reply    *Reply
	class    Class // of the reply, once the flight is over; of MAIL only where it was refused
}

func newFlight(s *session, h *mailHost, asks []*ask) *flight {
	f := &flight{s: s, host: h, asks: asks, fresh: s.transactions == 0}
	for _, a := range asks {
		f.named = append(f.named, recipient{mailbox: a.req.Target, domain: a.domain})
	}
	for _, a := range asks {
		if a.control == nil && a.req.Control != "" && f.controlOf(a) == nil {
			f.named = append(f.named, recipient{mailbox: a.req.Control, domain: a.domain, control: true})
		}
	}
	return f
}

// controlOf returns the control of an ask's domain in this flight.
func (f *flight) controlOf(a *ask) *recipient {
	if a.req.Control == "" {
		return nil
	}
	for i := len(f.asks); i < len(f.named); i++ {
		if f.named[i].domain == a.domain {
			return &f.named[i]
		}
	}
	return nil
}

// fly carries the transaction out. The error is the end of the session.
func (f *flight) fly(ctx context.Context) error {
	s := f.s
	s.begin(f)
	if f.asks[0].req.SMTPUTF8 && !s.offers("SMTPUTF8") {
		f.unasked = true
		return nil
	}
	if !f.fresh {
		s.conn.listen(ctx, alreadyThere)
	}
	s.transactions++
	ask := f.inTurn
	if s.offers("PIPELINING") && !f.asks[0].careful {
		ask = f.atOnce
	}
	if err := ask(ctx); err != nil {
		return cmp.Or(f.checkNames(ctx), err)
	}
	if f.alone() && f.controlTooMany() {
		if err := f.controlAgain(ctx); err != nil {
			return err
		}
	}
	if !s.conn.left { // else the reply to QUIT, which is like no other, has shown it
		if err := f.checkInStep(ctx); err != nil {
			return err
		}
	}
	if f.alone() && f.contradicted(0) {
		return f.confirm(ctx)
	}
	return f.checkNames(ctx)
}

// controlTooMany reports whether the target was accepted and the control refused for being one recipient too many. Nothing is known then of whether
// the host checks its recipients. Some hosts say so for good: "552 too many recipients", as RFC 5321 §4.5.3.1.10 expects of old ones, or "550 bounce
// messages have only one recipient". A policy (X.7.z, RFC 3463 §3.8) is about us, and asking again would not change it.
func (f *flight) controlTooMany() bool {
	if len(f.named) != 2 || f.named[1].reply == nil || refusal(*f.named[0].reply) != nil {
		return false
	}
	reply := *f.named[1].reply
	return limited(reply) || reply.Code >= 500 && !strings.HasPrefix(reply.Enhanced, "5.7.") &&
		f.s.pool.read(f.s, PhaseRCPT, reply, "@"+f.named[1].domain) == ClassRateLimited
}

// controlAgain asks about the control in a transaction of its own, in one group where the host takes one. Where that is refused too, the answer
// stays what it was.
func (f *flight) controlAgain(ctx context.Context) error {
	s, control := f.s, &f.named[1]
	commands := []string{"RSET", f.mailCommand(), rcptCommand(control.mailbox)}
	pipelined := s.offers("PIPELINING")
	if pipelined {
		if err := s.send(ctx, PhaseRCPT, commands...); err != nil {
			return err
		}
	}
	for i, command := range commands {
		if !pipelined {
			if err := s.send(ctx, PhaseRCPT, command); err != nil {
				return err
			}
		}
		var again said
		if err := s.hear(ctx, PhaseRCPT, &again); err != nil {
			return err
		}
		switch {
		case i == len(commands)-1:
			control.reply = again.reply
		case refusal(*again.reply) != nil:
			if pipelined {
				s.skipReplies(ctx, *again.reply, len(commands)-1-i)
			}
			return errRefused
		}
	}
	return nil
}

// mailCommand never has a BODY parameter: that declares the encoding of a body (RFC 6152 §3), and none will follow.
func (f *flight) mailCommand() string {
	command := "MAIL FROM:<" + f.s.pool.config.MailFrom + ">"
	if f.asks[0].req.SMTPUTF8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

func rcptCommand(mailbox string) string { return "RCPT TO:<" + mailbox + ">" }

// atOnce sends all commands in one group (RFC 2920 §3.1) and reads the answers. Where they are for several asks, RSET at the end shows whether
// the replies are in step with the commands; one ask saves it for the next transaction.
func (f *flight) atOnce(ctx context.Context) error {
	s := f.s
	commands, sync := f.commands()
	before := len(s.log.lines)
	at := before
	if err := s.send(ctx, PhaseMAIL, commands...); err != nil {
		return err
	}
	if s.transacting {
		if err := s.hearCleared(ctx); err != nil {
			return err
		}
		at++
	}
	s.transacting = !sync
	f.mail.command = at
	for i := range f.named {
		f.named[i].command = at + 1 + i
	}
	since := time.Now()
	if err := s.hear(ctx, PhaseMAIL, &f.mail); err != nil {
		return err
	}
	if err := f.checkMail(ctx); err != nil {
		return err
	}
	if at > before {
		f.pace.note(time.Since(since)) // the group's first reply is on its way for longer
	}
	if refusal(*f.mail.reply) != nil {
		pending := len(commands) - 1 - (at - before)
		s.skipReplies(ctx, *f.mail.reply, pending)
		return errRefused
	}
	f.shifted = s.extraLines > 0 || f.speaksOfRecipient(*f.mail.reply)
	for i := range f.named {
		since := time.Now()
		if err := f.hearRecipient(ctx, i); err != nil {
			f.brokenOff(i, timedOut(err) || time.Since(since) >= silence)
			return err
		}
	}
	if !sync {
		return nil
	}
	return f.hearEnd(ctx)
}

// hearEnd reads the answers to RSET, and to QUIT where that came with it, and finds out whether the replies before them were in step.
func (f *flight) hearEnd(ctx context.Context) error {
	s := f.s
	own, since := s.cleared, time.Now()
	usual := cmp.Or(own, s.clearedBefore)
	reset, err := s.hearReset(ctx)
	f.pace.note(time.Since(since))
	unknown := err == nil && refusal(reset) != nil
	f.inStep = f.shows(reset, usual)
	switch {
	case err != nil:
		return f.unproven(ctx, err)
	case usual != "" && s.cleared != usual && (s.conn.left || !f.shows(reset, "")):
		f.elsewhere = own == ""
		err = s.fault(ctx, PhaseRCPT, protocolError("replies out of step: RSET was answered in other words than before"))
	case s.conn.left:
		err = s.hearGoodbye(ctx)
	case unknown:
		err = f.checkInStep(ctx)
	}
	if unknown {
		return cmp.Or(err, errRefused)
	}
	return err
}

// brokenOff looks for replies that may be about others in a group that has ended, or fallen silent, before its recipient number end was heard. There,
// replies that were left out show nowhere else: one without its last line looks like one of several lines with the next, and where there are as many
// as recipients without an answer, the last that was heard belongs to the group's last command, as a rule RSET, and the host waits for more. With QUIT
// in the group it does not wait, and may have dropped RSET. Else, a host that is slow may have left some out all the same: those who were refused for
// good are asked about again. Who was accepted is not: for hosts that are slow over some mailboxes, that would be most of the company, time and again.
// Replies that name their recipients are in step.
func (f *flight) brokenOff(end int, silent bool) {
	var doubtful func(i int) bool
	odd := slices.IndexFunc(f.named[:end], func(r recipient) bool { return len(r.reply.Lines) > 1 })
	switch {
	case f.alone():
		doubtful = func(int) bool { return silent && f.controlIdle(end) }
	case f.s.conn.left, silent && end > 0 && f.s.mayBeCleared(*f.named[end-1].reply):
		doubtful = func(int) bool { return true }
	default:
		doubtful = func(i int) bool { return odd >= 0 && i >= odd || silent && f.named[i].reply.Code >= 500 }
	}
	for i := f.inPlace(end); i < end; i++ {
		if doubtful(i) {
			f.named[i].unplaced, f.named[i].reply = true, nil
		}
	}
}

// controlIdle reports whether recipient i is a control that need not be heard: its target was refused for good.
func (f *flight) controlIdle(i int) bool {
	return f.alone() && i == 1 && f.named[0].reply.Code >= 500
}

// unproven is the failure of company all of whose recipients were answered, and the RSET behind them was not, whether the host fell silent, hung up
// or said 421. One reply too few does that, say one without its last line, which swallows the next: the answer to RSET is then taken for that
// about the last recipient.
func (f *flight) unproven(ctx context.Context, err error) error {
	var failure *Failure
	switch {
	case errors.As(err, &failure) && (failure.Kind == KindProtocol || failure.Kind == KindCancelled):
		return err
	case failure != nil:
		f.s.log.add(fromProber, failure.Error())
	}
	f.cutShort = failure == nil || failure.Kind != KindTimeout || f.s.hurried
	return f.s.fault(ctx, PhaseRCPT, protocolError("replies out of step: all recipients were answered, and RSET was not"))
}

// commands are those of the transaction, and whether RSET ends them.
func (f *flight) commands() (commands []string, sync bool) {
	commands = make([]string, 0, len(f.named)+3)
	if f.s.transacting {
		commands = append(commands, "RSET")
	}
	commands = append(commands, f.mailCommand())
	for i := range f.named {
		commands = append(commands, rcptCommand(f.named[i].mailbox))
	}
	if f.alone() {
		return commands, false
	}
	commands = append(commands, "RSET")
	if f.last {
		commands = append(commands, quitCommand)
	}
	return commands, true
}

// inTurn sends each command when the one before is answered. A control is named only where it can prove something. The transaction is left open:
// RSET would cost a wait, and comes with the next transaction.
func (f *flight) inTurn(ctx context.Context) error {
	s := f.s
	if err := s.reset(ctx); err != nil {
		return err
	}
	s.transacting = true
	since := time.Now()
	if err := s.ask(ctx, PhaseMAIL, f.mailCommand(), &f.mail); err != nil {
		return err
	}
	if err := f.checkMail(ctx); err != nil {
		return err
	}
	if err := refusal(*f.mail.reply); err != nil {
		return err
	}
	f.pace.note(time.Since(since))
	for i := range f.named {
		r := &f.named[i]
		if r.control && !f.accepted(r.domain) && (!f.alone() || f.asks[0].careful) {
			continue
		}
		f.named[i].command = len(s.log.lines)
		s.conn.listen(ctx, alreadyThere)
		if err := s.send(ctx, PhaseRCPT, rcptCommand(r.mailbox)); err != nil {
			return err
		}
		if err := f.hearRecipient(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// alone reports a flight for one ask.
func (f *flight) alone() bool { return len(f.asks) == 1 }

// accepted reports whether a target in the domain was.
func (f *flight) accepted(domain string) bool {
	for i := range f.asks {
		if r := &f.named[i]; r.domain == domain && r.reply != nil && refusal(*r.reply) == nil {
			return true
		}
	}
	return false
}

// boundOf is until when to wait for the answer about a recipient. The time of an ask does not run while the others of its flight are answered.
func (f *flight) boundOf(i int, now time.Time) time.Time {
	if f.began.IsZero() {
		f.began = now
	}
	end := f.ends()
	if i < len(f.asks) {
		end = f.asks[i].ends()
	}
	took := now.Sub(f.began)
	if !end.IsZero() && !f.alone() {
		end = end.Add(took)
	}
	if enough := now.Add(max(silence, 2*took)); f.controlIdle(i) && (end.IsZero() || enough.Before(end)) {
		end = enough
	}
	return end
}

// hearRecipient reads the answer about a recipient. After a 421 nothing more will come.
func (f *flight) hearRecipient(ctx context.Context, i int) error {
	s, r := f.s, &f.named[i]
	r.before = s.recipients
	since := time.Now()
	s.bound = f.boundOf(i, since)
	if err := s.hear(ctx, PhaseRCPT, &r.said); err != nil {
		return err
	}
	took := time.Since(since)
	f.pace.note(took)
	s.recipients++
	if refusal(*r.reply) != nil {
		s.refused++
		f.noteDelay(took)
	}
	if r.reply.Code == replyServiceClosing {
		return errRefused
	}
	return nil
}

// noteDelay notes how long a refusal took.
func (f *flight) noteDelay(took time.Duration) {
	switch least, _ := f.s.pool.config.Session.refusals(); {
	case f.s.refused > least && took > impatience:
		f.s.slow++
	default:
		f.s.slow = 0
	}
}

// impatient reports whether the host slows down over refusals beyond those that any host takes: over one after the other, unlike where a mailbox takes
// long by itself.
func (f *flight) impatient() bool { return f.s.slow > 1 }

// skipReplies reads the answers to the commands sent behind a refused one. They speak about its lack, and are for the transcript only.
func (s *session) skipReplies(ctx context.Context, refused Reply, n int) {
	if refused.Code == replyServiceClosing {
		return
	}
	end := time.Now().Add(skipGrace)
	for range n {
		if err := s.conn.arm(ctx, end); err != nil {
			return
		}
		if _, err := s.conn.readReply(); err != nil {
			return
		}
	}
}

// limited reports whether a recipient was refused for being one too many (RFC 5321 §4.5.3.1.10, RFC 3463 §3.6).
func limited(r Reply) bool {
	return strings.HasSuffix(r.Enhanced, ".5.3") && r.Code >= 400 || r.Code == replyInsufficientStorage && r.Enhanced == ""
}
