package smtpprobe

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
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
	alone  bool        // fresh, with one job, one command at a time: what comes of it is the answer
	utf8   bool        // with SMTPUTF8
	end    time.Time   // when the time for the last of the jobs is over; zero: never
	began  time.Time   // when the recipients' turn came
	before []recipient // of the transaction before it in the session

	proof   proof
	heard   int // recipients that the host had heard of late
	trouble trouble
	stopped int // the recipient at which the session ended; -1: at none
}

// role is why a recipient is named.
type role int

const (
	isTarget  role = iota
	isControl      // of a domain of which it is not known whether the host accepts every mailbox there
	isCanary       // a control that the host is known to refuse
	isProof
)

// recipient is a mailbox named in a transaction.
type recipient struct {
	mailbox string
	domain  string
	role    role
	before  int // recipients that were named in the session before this one
	exchange
}

// exchange is a command and its reply.
type exchange struct {
	wire.Exchange
	class replies.Class // of the reply, once the transaction is over; of MAIL only where it was refused
}

func (e *exchange) accepted() bool { return e.Reply != nil && !e.Reply.Refused() }
func (e *exchange) refused() bool  { return e.Reply != nil && e.Reply.Refused() }

func newTransaction(s *session, h *mailHost, jobs []*job, p proof, inGroup bool) *transaction {
	t := &transaction{s: s, host: h, jobs: jobs, fresh: s.transactions == 0, stopped: -1, proof: p, heard: h.heard}
	t.alone, t.utf8 = jobs[0].alone, jobs[0].req.SMTPUTF8
	t.end = lastEnd(jobs)
	t.named = make([]recipient, 0, len(jobs)+usualBeside)
	for _, j := range jobs {
		t.name(j.req.Target, j.domain, isTarget)
	}
	if inGroup || t.alone && p.mailbox != "" {
		t.name(p.mailbox, domainOf(p.mailbox), isProof)
	}
	targets := len(t.named)
	for _, j := range jobs {
		if j.control == nil && j.req.Control != "" && t.controlOf(j) == nil {
			t.name(j.req.Control, j.domain, isControl)
		}
	}
	if len(t.named) > targets {
		return t
	}
	for _, j := range slices.Backward(jobs) {
		if j.control != nil && j.control.Refused() {
			t.name(j.req.Control, j.domain, isCanary)
			break
		}
	}
	return t
}

// usualBeside is how many recipients most transactions name beside the targets:
// a proof and a control.
const usualBeside = 2

func (t *transaction) name(mailbox, domain string, as role) {
	t.named = append(t.named, recipient{mailbox: mailbox, domain: domain, role: as})
}

func (r *recipient) isControl() bool { return r.role == isControl || r.role == isCanary }

// controlOf returns the control of a job's domain in this transaction.
func (t *transaction) controlOf(j *job) *recipient {
	for i := len(t.jobs); i < len(t.named) && j.req.Control != ""; i++ {
		if r := &t.named[i]; r.isControl() && r.domain == j.domain {
			return r
		}
	}
	return nil
}

// run carries the transaction out. The error is the end of the session.
func (t *transaction) run(ctx context.Context) error {
	s := t.s
	s.Begin(len(t.named), t.end)
	if t.utf8 && !s.Offers("SMTPUTF8") {
		t.trouble = notAsked
		return nil
	}
	if !t.fresh {
		s.Listen(ctx)
	}
	err := t.converse(ctx)
	if err == nil {
		err = t.check(ctx)
	}
	t.trouble = t.troubleOf(err)
	if err == nil && t.controlTooMany() {
		if err = t.controlAgain(ctx); !errors.Is(err, wire.ErrRefused) {
			t.trouble = t.troubleOf(err)
		}
	}
	return err
}

// converse sends MAIL, a RCPT for each recipient and RSET, and reads the
// replies: in one group (RFC 2920 §3.1) where PIPELINING is offered, and else
// each command when the one before is answered.
func (t *transaction) converse(ctx context.Context) error {
	s := t.s
	s.transactions++
	t.before, s.named = s.named, t.named
	inGroup := s.Offers("PIPELINING") && !t.alone
	commands := append(make([]string, 0, len(t.named)+2), t.mailCommand())
	for i := range t.named {
		commands = append(commands, "RCPT TO:<"+t.named[i].mailbox+">")
	}
	commands = append(commands, "RSET")
	var sent []wire.Exchange
	var err error
	if inGroup {
		if sent, err = s.Send(ctx, smtp.PhaseMAIL, commands...); err != nil {
			return err
		}
		t.mail.Exchange = sent[0]
		for i := range t.named {
			t.named[i].Exchange = sent[i+1]
		}
	}
	for i, command := range commands {
		at := i
		if !inGroup {
			at = 0
			if i > 0 && i <= len(t.named) {
				if t.named[i-1].role == isProof && !t.wantsProof() {
					continue
				}
				s.Listen(ctx)
			}
			if sent, err = s.Send(ctx, phaseAt(i), command); err != nil {
				return err
			}
		}
		if err := t.hear(ctx, i, sent[at]); err != nil {
			return err
		}
	}
	return nil
}

func phaseAt(command int) smtp.Phase {
	if command == 0 {
		return smtp.PhaseMAIL
	}
	return smtp.PhaseRCPT
}

// mailCommand never has a BODY parameter: that declares the encoding of a body
// (RFC 6152 §3), and none will follow.
func (t *transaction) mailCommand() string {
	command := "MAIL FROM:<" + t.s.mailFrom + ">"
	if t.utf8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

// wantsProof reports whether the proof is worth a command of its own: not
// behind a target that is alone and was not refused as a mailbox that is not
// there.
func (t *transaction) wantsProof() bool {
	r := &t.named[0]
	return !t.alone || r.Reply != nil && isDead(t.s.pool.read(t.s, smtp.PhaseRCPT, *r.Reply, r.mailbox))
}

// nameOne names one mailbox in a transaction of its own. There is no reply if
// that was not in step to its end.
func (s *session) nameOne(ctx context.Context, mailbox string, utf8 bool) (*smtp.Reply, error) {
	if s.unreset {
		return nil, wire.ErrRefused // the host knows no RSET
	}
	t := &transaction{s: s, utf8: utf8, named: []recipient{{mailbox: mailbox}}}
	err := t.converse(ctx)
	if err == nil {
		err = s.Leftover(ctx, smtp.PhaseRCPT)
	}
	if err != nil {
		return nil, err
	}
	return t.named[0].Reply, nil
}

// lastEnd is when the time for the last of some jobs is over; zero: never.
func lastEnd(jobs []*job) time.Time {
	var last time.Time
	for _, j := range jobs {
		end := j.ends()
		if end.IsZero() {
			return end
		}
		if end.After(last) {
			last = end
		}
	}
	return last
}
