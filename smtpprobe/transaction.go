package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// transaction names the targets of some jobs to a mail host, and behind them a
// control for each domain of which it is not known whether the host accepts
// every mailbox there. Where all are known, it names the control of a domain
// that refuses it once more. So it ends with a refusal, and RSET behind that
// with an acceptance: a reply too many, or one too few, shows there.
type transaction struct {
	s      *session
	host   *mailHost
	jobs   []*job
	mail   exchange
	named  []recipient // targets in the order of the jobs, then the proof, then the controls
	fresh  bool        // the first of its session
	plain  bool        // one command at a time
	canary bool        // the last recipient is a control that the host is known to refuse
	began  time.Time   // when the recipients' turn came

	proof        string // mailbox that shows whether the host still accepts anybody; empty: there is none
	known        bool   // the host accepted it before
	provesItself bool   // names the proof behind the targets
	heard        int    // recipients that the host had heard of late
	trouble      trouble
	firstAlias   bool // a target's reply names another mailbox, for the first time
	misplaced    bool // a reply is another command's, as far as one can tell
	silent       int  // the recipient over which the host fell silent; -1: none
}

// role is why a recipient is named.
type role int

const (
	isTarget role = iota
	isControl
	isProof
)

// recipient is a mailbox named in a transaction.
type recipient struct {
	mailbox string
	domain  string
	role    role
	before  int  // recipients that were named in the session before this one
	dropped bool // the reply was not believed, and there is no time to ask again
	exchange
}

// exchange is a command and its reply: lines of the session's transcript.
type exchange struct {
	command  int // its line; the reply's are from…to
	from, to int
	reply    *Reply
	class    Class // of the reply, once the transaction is over; of MAIL only where it was refused
}

func (r *recipient) accepted() bool { return r.reply != nil && refusal(*r.reply) == nil }

// trouble is why a transaction is not believed.
type trouble int

const (
	noTrouble   trouble = iota
	notAsked            // the host lacks what the question needs
	cutOff              // the caller gave up
	mailRefused         // MAIL was
	outOfStep           // replies do not fit their commands
	tooMany             // a recipient was refused for being one too many
	hungUp              // 421, or the end of the connection
	fellSilent
)

func newTransaction(s *session, h *mailHost, jobs []*job, proof string, inGroup bool) *transaction {
	t := &transaction{s: s, host: h, jobs: jobs, fresh: s.transactions == 0, silent: -1, proof: proof}
	t.plain = jobs[0].alone
	for _, j := range jobs {
		t.named = append(t.named, recipient{mailbox: j.req.Target, domain: j.domain})
	}
	if inGroup || t.plain && proof != "" {
		t.named = append(t.named, recipient{mailbox: proof, domain: domainOf(proof), role: isProof})
		t.provesItself = true
	}
	targets := len(t.named)
	for _, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.controlOf(j) == nil {
			t.nameControl(j)
		}
	}
	if len(t.named) > targets {
		return t
	}
	for _, j := range slices.Backward(jobs) {
		if j.control != nil && refusal(*j.control) != nil {
			t.nameControl(j)
			t.canary = true
			break
		}
	}
	return t
}

func (t *transaction) nameControl(j *job) {
	t.named = append(t.named, recipient{mailbox: j.req.Control, domain: j.domain, role: isControl})
}

// controlOf returns the control of a job's domain in this transaction.
func (t *transaction) controlOf(j *job) *recipient {
	for i := len(t.jobs); i < len(t.named) && j.req.Control != ""; i++ {
		if t.named[i].role == isControl && t.named[i].domain == j.domain {
			return &t.named[i]
		}
	}
	return nil
}

// run carries the transaction out. The error is the end of the session.
func (t *transaction) run(ctx context.Context) error {
	s := t.s
	s.begin(t)
	if t.jobs[0].req.SMTPUTF8 && !s.offers("SMTPUTF8") {
		t.trouble = notAsked
		return nil
	}
	if !t.fresh {
		s.conn.listen(ctx, alreadyThere)
	}
	s.transactions++
	ask := t.runInTurn
	if s.offers("PIPELINING") && !t.plain {
		ask = t.runGroup
	}
	err := ask(ctx)
	if err == nil {
		err = t.check(ctx)
		t.misplaced = err != nil
	}
	t.trouble = t.troubleOf(err)
	if err == nil && t.controlTooMany() {
		if err = t.controlAgain(ctx); !errors.Is(err, errRefused) {
			t.trouble = t.troubleOf(err)
		}
	}
	return err
}

// runGroup sends all commands in one group (RFC 2920 §3.1) and reads the
// replies.
func (t *transaction) runGroup(ctx context.Context) error {
	s := t.s
	commands := make([]string, 0, len(t.named)+2)
	commands = append(commands, t.mailCommand())
	for i := range t.named {
		commands = append(commands, rcptCommand(t.named[i].mailbox))
	}
	commands = append(commands, "RSET")
	at := len(s.log.lines)
	if err := s.send(ctx, PhaseMAIL, commands...); err != nil {
		return err
	}
	t.mail.command = at
	for i := range t.named {
		t.named[i].command = at + 1 + i
	}
	if err := s.hear(ctx, PhaseMAIL, &t.mail); err != nil {
		return err
	}
	if err := t.checkMail(ctx); err != nil {
		return err
	}
	if refusal(*t.mail.reply) != nil {
		s.skipReplies(ctx, *t.mail.reply, len(commands)-1)
		return errRefused
	}
	for i := range t.named {
		if err := t.hearRecipient(ctx, i); err != nil {
			return err
		}
	}
	return t.hearReset(ctx)
}

// runInTurn sends each command when the one before is answered.
func (t *transaction) runInTurn(ctx context.Context) error {
	s := t.s
	if err := s.ask(ctx, PhaseMAIL, t.mailCommand(), &t.mail); err != nil {
		return err
	}
	if err := t.checkMail(ctx); err != nil {
		return err
	}
	if refusal(*t.mail.reply) != nil {
		return errRefused
	}
	for i := range t.named {
		r := &t.named[i]
		if r.role == isProof && !t.wantsProof() {
			continue
		}
		r.command = len(s.log.lines)
		s.conn.listen(ctx, alreadyThere)
		if err := s.send(ctx, PhaseRCPT, rcptCommand(r.mailbox)); err != nil {
			return err
		}
		if err := t.hearRecipient(ctx, i); err != nil {
			return err
		}
	}
	if err := s.send(ctx, PhaseRCPT, "RSET"); err != nil {
		return err
	}
	return t.hearReset(ctx)
}

// wantsProof reports whether the target that is alone in the transaction was
// refused as a mailbox that is not there.
func (t *transaction) wantsProof() bool {
	r := &t.named[0]
	return !t.plain || r.reply != nil && isDead(t.s.pool.read(t.s, PhaseRCPT, *r.reply, r.mailbox))
}

// mailCommand never has a BODY parameter: that declares the encoding of a body
// (RFC 6152 §3), and none will follow.
func (t *transaction) mailCommand() string {
	return t.s.mailCommand(t.jobs[0].req.SMTPUTF8)
}

func (s *session) mailCommand(utf8 bool) string {
	command := "MAIL FROM:<" + s.pool.config.MailFrom + ">"
	if utf8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

func rcptCommand(mailbox string) string { return "RCPT TO:<" + mailbox + ">" }

// checkMail fails when what was taken for the reply to MAIL is that to EHLO
// once more.
func (t *transaction) checkMail(ctx context.Context) error {
	s, r := t.s, t.mail.reply
	if len(r.Lines) < 2 || r.Code != s.EHLO.Code || !slices.Equal(r.Lines, s.EHLO.Lines) {
		return nil
	}
	t.misplaced = true
	return s.fault(ctx, PhaseMAIL, protocolError("replies out of step: EHLO was answered twice"))
}

// hearRecipient reads the reply about a recipient. After a 421 nothing more
// will come.
func (t *transaction) hearRecipient(ctx context.Context, i int) error {
	s, r := t.s, &t.named[i]
	r.before = s.recipients
	since := time.Now()
	if t.began.IsZero() {
		t.began = since
	}
	s.bound = t.boundOf(i, since)
	if err := s.hear(ctx, PhaseRCPT, &r.exchange); err != nil {
		t.silent = i
		return err
	}
	s.recipients++
	if refusal(*r.reply) != nil {
		s.refused++
		t.noteDelay(time.Since(since))
	}
	if r.reply.Code == replyServiceClosing {
		return errRefused
	}
	return nil
}

// boundOf is until when to wait for the reply about a recipient, or behind the
// last for that to RSET. The time of a job does not run while the others of its
// transaction are answered. What shows the replies to be in step is not worth
// more time than they took.
func (t *transaction) boundOf(i int, now time.Time) time.Time {
	end := t.ends()
	if i < len(t.jobs) {
		end = t.jobs[i].ends()
	}
	took := now.Sub(t.began)
	if !end.IsZero() && len(t.jobs) > 1 {
		end = end.Add(took)
	}
	if i < len(t.jobs) || !t.settledWithout(i) {
		return end
	}
	if enough := now.Add(max(leastSilence, 2*took)); end.IsZero() || enough.Before(end) {
		return enough
	}
	return end
}

// settledWithout reports whether recipient i need not be heard to know what
// became of the targets: all were refused, or it is RSET's turn.
func (t *transaction) settledWithout(i int) bool {
	if i == len(t.named) {
		return true
	}
	return !slices.ContainsFunc(t.named[:len(t.jobs)], func(r recipient) bool { return r.accepted() })
}

// noteDelay notes how long a refusal took.
func (t *transaction) noteDelay(took time.Duration) {
	if t.s.refused > defaultRefused && took > impatience {
		t.s.slow++
	} else {
		t.s.slow = 0
	}
}

// hearReset reads the reply to the RSET that ends the transaction. Hosts do not
// refuse it (RFC 5321 §4.1.1.5) but for not knowing it, 50z, or with 421: any
// other refusal belongs to a command before it.
func (t *transaction) hearReset(ctx context.Context) error {
	s := t.s
	s.bound = t.boundOf(len(t.named), time.Now())
	reply, err := s.reply(ctx, PhaseRCPT)
	switch {
	case err != nil:
		return err
	case reply.Code == replyServiceClosing:
		return errRefused
	case refusal(reply) != nil && reply.Code/10 != 50:
		t.misplaced = true
		return s.fault(ctx, PhaseRCPT, protocolError("replies out of step: RSET was refused"))
	}
	s.unreset = refusal(reply) != nil
	if !t.plain && strings.HasSuffix(reply.Enhanced, destinationValid) && t.anySays(reply) {
		t.misplaced = true
		return s.fault(ctx, PhaseRCPT, protocolError("replies out of step: RSET was answered like a recipient"))
	}
	return nil
}

// destinationValid is the detail of an enhanced status code that accepts a
// recipient (RFC 3463 §3.2).
const destinationValid = ".1.5"

// anySays reports whether a recipient was given the same reply.
func (t *transaction) anySays(reply Reply) bool {
	return slices.ContainsFunc(t.named, func(r recipient) bool {
		return r.reply != nil && r.reply.Code == reply.Code && r.reply.Enhanced == reply.Enhanced && slices.Equal(r.reply.Lines, reply.Lines)
	})
}

// check fails when a whole transaction shows that its replies are not in step
// with its commands: a control that the host is known to refuse was accepted,
// a reply names another recipient, or something is left over.
func (t *transaction) check(ctx context.Context) error {
	s := t.s
	if ahead := s.conn.ahead(); ahead != "" && !isServiceClosing(ahead) {
		return s.outOfStep(ctx, PhaseRCPT, ahead)
	}
	if t.canary && t.named[len(t.named)-1].accepted() && !t.plain {
		return s.fault(ctx, PhaseRCPT, protocolError("replies out of step: a random mailbox that is refused as a rule was accepted"))
	}
	if t.anyNamesAnother() {
		return s.fault(ctx, PhaseRCPT, protocolError("replies out of order: the answer about one recipient names another"))
	}
	return nil
}

// anyNamesAnother reports whether the reply about a recipient names another
// one. Where the host names the same once more in a session of its own, that is
// what it calls the mailbox.
func (t *transaction) anyNamesAnother() bool {
	found := false
	for i := range t.named {
		r := &t.named[i]
		if r.reply == nil || !t.namesAnother(r) {
			continue
		}
		if r.role != isTarget {
			found = true
			continue
		}
		j, other := t.jobs[i], bracketed(r.reply.Lines)
		if t.lastWord() && strings.EqualFold(j.alias, other) {
			continue
		}
		t.firstAlias = j.alias == ""
		j.alias, found = other, true
	}
	return found
}

// namesAnother reports whether a reply names a mailbox that is not the one it
// should be about.
func (t *transaction) namesAnother(r *recipient) bool {
	name := bracketed(r.reply.Lines)
	if r.role != isTarget {
		return slices.ContainsFunc(t.jobs, func(j *job) bool { return strings.EqualFold(j.req.Target, name) && j.req.Target != r.mailbox })
	}
	if name == "" || strings.EqualFold(name, r.mailbox) || strings.EqualFold(name, t.s.pool.config.MailFrom) {
		return false
	}
	local, _, _ := strings.Cut(name, "@")
	return !strings.EqualFold(local, postmaster)
}

// bracketed returns the first mailbox that stands in angle brackets, as those
// that a refusal is about mostly do.
func bracketed(lines []string) string {
	for _, line := range lines {
		_, rest, _ := strings.Cut(line, "<")
		if name, _, ok := strings.Cut(rest, ">"); ok && strings.Contains(name, "@") {
			return name
		}
	}
	return ""
}

// troubleOf tells why the transaction is not believed.
func (t *transaction) troubleOf(err error) trouble {
	var failure *Failure
	switch {
	case errors.As(err, &failure):
		switch failure.Kind {
		case KindProtocol:
			return outOfStep
		case KindCancelled:
			return cutOff
		case KindTimeout:
			return fellSilent
		}
		return hungUp
	case t.mail.reply != nil && refusal(*t.mail.reply) != nil:
		return mailRefused
	case err != nil:
		return hungUp
	}
	return noTrouble
}

// controlTooMany reports whether the only target was accepted and the control
// refused for being one recipient too many. Nothing is known then of whether
// the host checks its recipients. Some hosts say so for good: "552 too many
// recipients", as RFC 5321 §4.5.3.1.10 expects of old ones, or "550 bounce
// messages have only one recipient". A policy (X.7.z, RFC 3463 §3.8) is about
// us, and asking again would not change it.
func (t *transaction) controlTooMany() bool {
	last := &t.named[len(t.named)-1]
	if len(t.jobs) != 1 || last.role != isControl || last.reply == nil || !t.named[0].accepted() {
		return false
	}
	return limited(*last.reply) || last.reply.Code >= 500 && !strings.HasPrefix(last.reply.Enhanced, "5.7.") &&
		t.s.pool.read(t.s, PhaseRCPT, *last.reply, "@"+last.domain) == ClassRateLimited
}

// controlAgain asks about the control in a transaction of its own. Where that
// is refused too, the answer stays what it was.
func (t *transaction) controlAgain(ctx context.Context) error {
	control := &t.named[len(t.named)-1]
	again, err := t.s.nameOne(ctx, control.mailbox, t.jobs[0].req.SMTPUTF8)
	if again.reply != nil {
		control.reply = again.reply
	}
	return err
}

// nameOne names one mailbox in a transaction of its own.
func (s *session) nameOne(ctx context.Context, mailbox string, utf8 bool) (said exchange, err error) {
	if s.unreset {
		return said, errRefused // the host knows no RSET
	}
	commands := []string{s.mailCommand(utf8), rcptCommand(mailbox), "RSET"}
	pipelined := s.offers("PIPELINING")
	if pipelined {
		if err := s.send(ctx, PhaseRCPT, commands...); err != nil {
			return said, err
		}
	}
	s.transactions++
	for i, command := range commands {
		if !pipelined {
			if err := s.send(ctx, PhaseRCPT, command); err != nil {
				return said, err
			}
		}
		var heard exchange
		if err := s.hear(ctx, PhaseRCPT, &heard); err != nil {
			return said, err
		}
		refused := refusal(*heard.reply)
		switch {
		case i == 1:
			said = heard
			s.recipients++
			if refused != nil {
				s.refused++
			}
			if heard.reply.Code == replyServiceClosing {
				return said, errRefused
			}
		case i == 2 && heard.reply.Code/10 == 50:
			s.unreset = true
		case refused != nil:
			if pipelined {
				s.skipReplies(ctx, *heard.reply, len(commands)-1-i)
			}
			if i == 2 {
				said.reply = nil
			}
			return said, errRefused
		}
	}
	if ahead := s.conn.ahead(); ahead != "" && !isServiceClosing(ahead) {
		return exchange{}, s.outOfStep(ctx, PhaseRCPT, ahead)
	}
	return said, nil
}

// skipReplies reads the replies to the commands sent behind a refused one. They
// speak about its lack, and are for the transcript only.
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

// ends is when the time for the last of the jobs is over; zero: never.
func (t *transaction) ends() time.Time {
	var end time.Time
	for _, j := range t.jobs {
		e := j.ends()
		if e.IsZero() {
			return e
		}
		if e.After(end) {
			end = e
		}
	}
	return end
}

// limited reports whether a recipient was refused for being one too many (RFC
// 5321 §4.5.3.1.10, RFC 3463 §3.6).
func limited(r Reply) bool {
	return strings.HasSuffix(r.Enhanced, ".5.3") && r.Code >= 400 || r.Code == replyInsufficientStorage && r.Enhanced == ""
}

func isServiceClosing(ahead string) bool { return strings.HasPrefix(ahead, "421") }
