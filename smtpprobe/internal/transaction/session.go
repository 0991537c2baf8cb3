package transaction

import (
	"context"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Session is a connection to a mail host with what it was used for.
type Session struct {
	Conn     *wire.Conn
	MailFrom string // the reverse-path
	// Classify reads a reply. The mailbox of a control is that of its domain
	// without a local-part, as package engine reads it.
	Classify func(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification
	// ManyRefused is how many refusals any host takes without delay.
	ManyRefused int
	Grouped     bool // the host has answered recipients of a group, in this session or before

	Transactions int
	Recipients   int  // named and answered
	Refused      int  // of them
	Unreset      bool // a transaction was left open, as the host knows no RSET: there can be no other
}

// Run carries a transaction out. The error is the end of the session. A
// transaction without targets names the proof: that counts only if all was in
// step.
func (s *Session) Run(ctx context.Context, t *Transaction) error {
	t.begin(s)
	if s.Unreset {
		t.Outcome.Trouble, t.Ended = belief.HungUp, true
		return wire.ErrRefused
	}
	if t.UTF8 && !s.Conn.Offers("SMTPUTF8") {
		t.Outcome.Trouble = belief.NotAsked
		return nil
	}
	if !t.Outcome.Fresh {
		s.Conn.Listen(ctx)
	}
	err := t.converse(ctx)
	if err == nil {
		err = t.check(ctx)
	}
	t.Outcome.Trouble = t.troubleOf(err)
	if err == nil {
		if err = t.askMore(ctx); t.troubleOf(err) == belief.OutOfStep {
			t.Outcome.Trouble = belief.OutOfStep // perhaps from the beginning
		}
	}
	t.end(err)
	return err
}

// begin turns the session to the transaction.
func (t *Transaction) begin(s *Session) {
	o := &t.Outcome
	t.session, t.heard = s, make([]heard, len(o.Named))
	if t.Calls == nil {
		t.Calls = make([]string, o.Targets)
	}
	o.Fresh, o.Stopped = s.Transactions == 0, -1
	s.Conn.Begin(len(o.Named), t.End)
}

// end draws the line under the transaction.
func (t *Transaction) end(err error) {
	s, o := t.session, &t.Outcome
	t.Ended = err != nil || s.Unreset
	if o.Trouble == belief.FailedTrial {
		t.Trial = s.Conn.Trial()
	}
	if o.Trouble == belief.OutOfStep || o.Trouble == belief.FailedTrial || o.Targets == 0 && err != nil {
		for i := range o.Named {
			o.Named[i].Reply = nil // whatever it answered, it may not have been RCPT
		}
	}
	t.Grouped = s.Grouped && o.Named[0].Reply != nil
}
