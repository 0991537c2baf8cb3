package belief

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Outcome is what was said in a mail transaction: facts, no verdict.
type Outcome struct {
	MAIL     Said
	Named    []Heard // targets, then the proof, then the controls
	Targets  int
	Fresh    bool // the first of its session
	Alone    bool // one command at a time
	Trouble  Trouble
	Stopped  int // the recipient at which the session ended; -1: at none
	Repeated int // recipients that were named once more, behind the transaction
}

// Said is a reply with its class.
type Said struct {
	Reply *smtp.Reply   // nil: there was none
	Class replies.Class // of that to MAIL only where it was refused
}

// Heard is a recipient and what was said about it.
type Heard struct {
	Said
	Mailbox string
	Domain  string
	Role    Role
	Before  int // recipients that were named in the session before this one
	// Behind is the reply to an accepted target that was named once more behind
	// this control; nil: none was.
	Behind *smtp.Reply
}

// Role is why a recipient is named.
type Role int

// Roles of recipients.
const (
	Target  Role = iota
	Control      // of a domain of which it is not known whether the host accepts every mailbox there
	Canary       // a control that the host is known to refuse
	Proof        // shows whether the host still accepts anybody
)

// Trouble is why a transaction is not believed.
type Trouble int

// Troubles, the lesser ones first.
const (
	None        Trouble = iota
	NotAsked            // the host lacks what the question needs
	CutOff              // the caller gave up
	MAILRefused         // MAIL was
	FailedTrial         // an extension on trial: the host lacks what it offers
	OutOfStep           // replies do not fit their commands
	TooMany             // a recipient was refused for being one too many
	HungUp              // 421, or the end of the connection
	FellSilent
)

// Accepted reports whether the reply is a positive one.
func (s *Said) Accepted() bool { return s.Reply != nil && !s.Reply.Refused() }

// Refused reports whether the reply is a negative one.
func (s *Said) Refused() bool { return s.Reply != nil && s.Reply.Refused() }

// TooMany reports whether the reply refuses a recipient for being one too many
// (RFC 5321 §4.5.3.1.10, RFC 3463 §3.6).
func (s *Said) TooMany() bool {
	r := s.Reply
	return r != nil && (strings.HasSuffix(r.Enhanced, ".5.3") && r.Refused() ||
		r.Code == smtp.CodeInsufficientStorage && r.Enhanced == "")
}

// Dead reports whether the mailbox was said to take no mail for good.
func (h *Heard) Dead() bool { return h.Reply != nil && h.Class.Dead() }

// IsControl reports whether the recipient is a random mailbox.
func (h *Heard) IsControl() bool { return h.Role == Control || h.Role == Canary }

// Unclear reports whether a control was refused and not called unknown. Where
// it is greylisted, asking again at once would not help.
func (h *Heard) Unclear() bool {
	return h.Refused() && h.Class != replies.ClassNoSuchUser && h.Class != replies.ClassGreylisted
}

// Nameless reports whether a control was refused for good, and neither called
// unknown nor one too many.
func (h *Heard) Nameless() bool {
	return h.Unclear() && h.Reply.Code >= 500 && h.Class != replies.ClassRateLimited && !h.TooMany()
}

// SaysWhether reports whether the reply to a control is clear about whether the
// host takes every address.
func (h *Heard) SaysWhether() bool {
	return h.Class == replies.ClassOK || h.Class == replies.ClassNoSuchUser
}

// OffTopic reports whether a control that the host is known to refuse was
// answered with something else this time.
func (h *Heard) OffTopic() bool { return h.Role == Canary && !h.SaysWhether() }

// AcceptsBehind reports whether the host accepted a target behind a control:
// its refusal is about the control.
func (h *Heard) AcceptsBehind() bool { return h.Behind != nil && !h.Behind.Refused() }

// Names reports whether a recipient with this role is among those named.
func (o *Outcome) Names(role Role) bool {
	return slices.ContainsFunc(o.Named, func(h Heard) bool { return h.Role == role })
}

// ControlOf returns the control of a target's domain that was named; nil: none
// was.
func (o *Outcome) ControlOf(target int) *Heard {
	if i := o.ControlAt(target); i >= 0 {
		return &o.Named[i]
	}
	return nil
}

// ControlAt is where that control was named; less than zero: none was.
func (o *Outcome) ControlAt(target int) int {
	for i := o.Targets; i < len(o.Named); i++ {
		if h := &o.Named[i]; h.IsControl() && h.Domain == o.Named[target].Domain {
			return i
		}
	}
	return -1
}

// Answered reports whether anything was said about a recipient.
func (o *Outcome) Answered() bool {
	return slices.ContainsFunc(o.Named, func(h Heard) bool { return h.Reply != nil })
}

// Company reports whether the session had other targets, too.
func (o *Outcome) Company() bool { return o.Targets > 1 || !o.Fresh }
