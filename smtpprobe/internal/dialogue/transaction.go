package dialogue

import (
	"context"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Transaction names targets to a mail host, and behind them a control for each
// domain of which it is not known whether the host accepts every mailbox there.
// Where all are known, it names the control of a domain that refuses it once
// more, as a canary. So it ends with a refusal, and RSET behind that with an
// acceptance: a reply too many, or one too few, shows there.
type Transaction struct {
	*Session
	Named   []Recipient // targets, then the proof, then the controls
	Targets int
	Fresh   bool      // the first of its session
	Alone   bool      // one command at a time
	UTF8    bool      // with SMTPUTF8
	End     time.Time // when the time for the last of the targets is over; zero: never

	Repeated int // recipients that were named once more, behind the transaction

	MAIL    Exchange
	Began   time.Time // when the first recipient was named
	Trouble belief.Trouble
	Stopped int // the recipient at which the session ended; -1: at none
}

// Recipient is a mailbox named in a transaction.
type Recipient struct {
	Mailbox string
	Domain  string
	Role    belief.Role
	Before  int // recipients that were named in the session before this one
	// Calls is the other mailbox that the last answer about the target named,
	// in this transaction or in one before; empty: none did.
	Calls string
	Exchange
	// Behind is the reply to an accepted target that was named once more behind
	// this control; nil: none was.
	Behind *smtp.Reply
}

// IsControl reports whether the recipient is a random mailbox.
func (r *Recipient) IsControl() bool { return r.Role == belief.Control || r.Role == belief.Canary }

// Dead reports whether the mailbox was said to take no mail for good.
func (r *Recipient) Dead() bool { return r.Reply != nil && r.Class.Dead() }

// Exchange is a command and its reply.
type Exchange struct {
	wire.Exchange
	Class      replies.Class // of the reply; of that to MAIL only where it was refused
	RetryAfter time.Duration // that the reply to RCPT asks for; zero: none
}

// Accepted reports whether the reply is a positive one.
func (e *Exchange) Accepted() bool { return e.Reply != nil && !e.Reply.Refused() }

// Refused reports whether the reply is a negative one.
func (e *Exchange) Refused() bool { return e.Reply != nil && e.Reply.Refused() }

// Outcome is what was said, as facts.
func (t *Transaction) Outcome() *belief.Outcome {
	o := &belief.Outcome{
		MAIL:  belief.Said{Reply: t.MAIL.Reply, Class: t.MAIL.Class},
		Named: make([]belief.Heard, len(t.Named)), Targets: t.Targets, Fresh: t.Fresh, Alone: t.Alone,
		Trouble: t.Trouble, Stopped: t.Stopped, Repeated: t.Repeated,
	}
	for i := range t.Named {
		r := &t.Named[i]
		o.Named[i] = belief.Heard{
			Said:    belief.Said{Reply: r.Reply, Class: r.Class},
			Mailbox: r.Mailbox, Domain: r.Domain, Role: r.Role, Before: r.Before, Behind: r.Behind,
		}
	}
	return o
}

// Add adds a recipient. Targets come first.
func (t *Transaction) Add(r Recipient) {
	if r.Role == belief.Target {
		t.Targets++
	}
	t.Named = append(t.Named, r)
}

// Names reports whether a recipient with this role is among those named.
func (t *Transaction) Names(role belief.Role) bool {
	return slices.ContainsFunc(t.Named, func(r Recipient) bool { return r.Role == role })
}

// ControlOf returns the control of a target's domain that was named; nil: none
// was.
func (t *Transaction) ControlOf(target int) *Recipient {
	for i := t.Targets; i < len(t.Named); i++ {
		if r := &t.Named[i]; r.IsControl() && r.Domain == t.Named[target].Domain {
			return r
		}
	}
	return nil
}

// Company reports whether the session had other targets, too.
func (t *Transaction) Company() bool { return t.Targets > 1 || !t.Fresh }

// Run carries the transaction out. The error is the end of the session.
func (t *Transaction) Run(ctx context.Context) error {
	t.Fresh, t.Stopped = t.Transactions == 0, -1
	t.Begin(len(t.Named), t.End)
	if t.UTF8 && !t.Offers("SMTPUTF8") {
		t.Trouble = belief.NotAsked
		return nil
	}
	if !t.Fresh {
		t.Listen(ctx)
	}
	err := t.converse(ctx)
	if err == nil {
		err = t.check(ctx)
	}
	t.Trouble = t.troubleOf(err)
	if err == nil {
		if err = t.askMore(ctx); t.troubleOf(err) == belief.OutOfStep {
			t.Trouble = belief.OutOfStep // perhaps from the beginning
		}
	}
	if t.Trouble == belief.OutOfStep || t.Trouble == belief.FailedTrial {
		for i := range t.Named {
			t.Named[i].Reply = nil // whatever it answered, it may not have been RCPT
		}
	}
	return err
}

// converse sends MAIL, a RCPT for each recipient and RSET, and reads the
// replies: in one group (RFC 2920 §3.1) where PIPELINING is offered, and else
// each command when the one before is answered.
func (t *Transaction) converse(ctx context.Context) error {
	t.Transactions++
	inGroup := t.inGroup()
	commands := append(make([]string, 0, len(t.Named)+2), t.mailCommand())
	for i := range t.Named {
		commands = append(commands, "RCPT TO:<"+t.Named[i].Mailbox+">")
	}
	commands = append(commands, "RSET")
	var sent []wire.Exchange
	var err error
	if inGroup {
		if !t.Grouped {
			t.Try(wire.PIPELINING)
		}
		if sent, err = t.Send(ctx, smtp.PhaseMAIL, commands...); err != nil {
			return err
		}
		t.MAIL.Exchange = sent[0]
		for i := range t.Named {
			t.Named[i].Exchange.Exchange = sent[i+1]
		}
	}
	for i, command := range commands {
		at := i
		if !inGroup {
			at = 0
			if i > 0 && i <= len(t.Named) {
				if t.Named[i-1].Role == belief.Proof && !t.wantsProof() {
					continue
				}
				t.Listen(ctx)
			}
			if sent, err = t.Send(ctx, phaseAt(i), command); err != nil {
				return err
			}
		}
		if err := t.hear(ctx, i, sent[at]); err != nil {
			return err
		}
	}
	return nil
}

// inGroup reports whether the commands go together.
func (t *Transaction) inGroup() bool { return t.Offers(wire.PIPELINING) && !t.Alone }

func phaseAt(command int) smtp.Phase {
	if command == 0 {
		return smtp.PhaseMAIL
	}
	return smtp.PhaseRCPT
}

// mailCommand never has a BODY parameter: that declares the encoding of a body
// (RFC 6152 §3), and none will follow.
func (t *Transaction) mailCommand() string {
	command := "MAIL FROM:<" + t.MailFrom + ">"
	if t.UTF8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

// wantsProof reports whether the proof is worth a command of its own: not
// behind a target that is alone and was not refused as a mailbox that is not
// there.
func (t *Transaction) wantsProof() bool { return !t.Alone || t.Named[0].Dead() }
