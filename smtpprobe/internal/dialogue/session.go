package dialogue

import (
	"context"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Session is a connection to a mail host with what it was used for.
type Session struct {
	*wire.Conn
	MailFrom string // the reverse-path
	// Classify reads a reply. The mailbox of a control is that of its domain
	// without a local-part, as package engine reads it.
	Classify func(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification
	// ManyRefused is how many refusals any host takes without delay.
	ManyRefused int
	Grouped     bool // the host has answered recipients of a group before

	Transactions int
	Recipients   int  // named and answered
	Refused      int  // of them
	Slow         bool // RSET, behind more refusals than ManyRefused, was answered slowly
	Unreset      bool // a transaction was left open: the host knows no RSET
}

// NameOne names one mailbox in a transaction of its own. There is no answer if
// that was not in step to its end.
func (s *Session) NameOne(ctx context.Context, mailbox string, utf8 bool) (said wire.Exchange, err error) {
	if s.Unreset {
		return said, wire.ErrRefused // the host knows no RSET
	}
	t := &Transaction{Session: s, UTF8: utf8, Named: []Recipient{{Mailbox: mailbox}}}
	err = t.converse(ctx)
	if err == nil {
		err = s.Leftover(ctx, smtp.PhaseRCPT)
	}
	if err != nil {
		return said, err
	}
	return t.Named[0].Exchange.Exchange, nil
}
