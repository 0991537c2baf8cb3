package transaction

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Transaction names targets to a mail host, and behind them a control for each
// domain of which it is not known whether the host accepts every mailbox there.
// Where all are known, it names the control of a domain that refuses it once
// more, as a canary. So it ends with a refusal, and RSET behind that with an
// acceptance: a reply too many, or one too few, shows there.
type Transaction struct {
	Outcome belief.Outcome // whom it names ([Transaction.Add]), whether alone, and what was said
	UTF8    bool           // with SMTPUTF8
	End     time.Time      // when the time for the last of the targets is over; zero: never
	// Calls is, for each target, the other mailbox that the last answer about
	// it named, in this transaction or in one before; empty: none did.
	Calls []string

	// What [Session.Run] notes beside the outcome.
	Began   time.Time // when the first recipient was named
	Slow    bool      // RSET, behind more refusals than [Session].ManyRefused, was answered slowly
	Grouped bool      // PIPELINING works
	Trial   string    // the extension on whose trial the session ended; empty: none
	Ended   bool      // the session can have no other

	session *Session
	mail    wire.Exchange
	heard   []heard // for each recipient
}

// heard is a recipient on the wire.
type heard struct {
	exchange   wire.Exchange
	retryAfter time.Duration // that the reply asks for; zero: none
}

// Add adds a recipient: targets, then the proof, then the controls.
func (t *Transaction) Add(role belief.Role, mailbox, domain string) {
	o := &t.Outcome
	if role == belief.Target {
		o.Targets++
	}
	o.Named = append(o.Named, belief.Heard{Mailbox: mailbox, Domain: domain, Role: role})
}

// Excerpt returns the opening of the session, and of the transaction MAIL and
// some recipients, with a remark between them unless it is empty.
func (t *Transaction) Excerpt(remark string, recipients ...int) []smtp.Line {
	parts := []wire.Exchange{t.mail}
	for _, i := range recipients {
		parts = append(parts, t.heard[i].exchange)
	}
	return t.session.Conn.Excerpt(remark, parts...)
}

// converse sends MAIL, a RCPT for each recipient and RSET, and reads the
// replies: in one group (RFC 2920 §3.1) where PIPELINING is offered, and else
// each command when the one before is answered.
func (t *Transaction) converse(ctx context.Context) error {
	t.session.Transactions++
	if t.inGroup() {
		return t.converseInGroup(ctx)
	}
	conn, named := t.session.Conn, t.Outcome.Named
	for i, command := range t.commands() {
		if i > 0 && i <= len(named) {
			if named[i-1].Role == belief.Proof && !t.wantsProof() {
				continue
			}
			conn.Listen(ctx)
		}
		sent, err := conn.Send(ctx, phaseAt(i), command)
		if err != nil {
			return err
		}
		if err := t.hear(ctx, i, sent[0]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transaction) converseInGroup(ctx context.Context) error {
	if !t.session.Grouped {
		t.session.Conn.Try(wire.PIPELINING)
	}
	sent, err := t.session.Conn.Send(ctx, smtp.PhaseMAIL, t.commands()...)
	if err != nil {
		return err
	}
	t.mail = sent[0]
	for i := range t.heard {
		t.heard[i].exchange = sent[i+1]
	}
	for i := range sent {
		if err := t.hear(ctx, i, sent[i]); err != nil {
			return err
		}
	}
	return nil
}

// commands are MAIL, a RCPT for each recipient, and RSET.
func (t *Transaction) commands() []string {
	named := t.Outcome.Named
	commands := append(make([]string, 0, len(named)+2), t.mailCommand())
	for i := range named {
		commands = append(commands, "RCPT TO:<"+named[i].Mailbox+">")
	}
	return append(commands, "RSET")
}

// inGroup reports whether the commands go together.
func (t *Transaction) inGroup() bool {
	return t.session.Conn.Offers(wire.PIPELINING) && !t.Outcome.Alone
}

func phaseAt(command int) smtp.Phase {
	if command == 0 {
		return smtp.PhaseMAIL
	}
	return smtp.PhaseRCPT
}

// mailCommand never has a BODY parameter: that declares the encoding of a body
// (RFC 6152 §3), and none will follow.
func (t *Transaction) mailCommand() string {
	command := "MAIL FROM:<" + t.session.MailFrom + ">"
	if t.UTF8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

// wantsProof reports whether the proof is worth a command of its own: not
// behind a target that is alone and was not refused as a mailbox that is not
// there.
func (t *Transaction) wantsProof() bool { return !t.Outcome.Alone || t.Outcome.Named[0].Dead() }
