package smtpprobe

import (
	"context"
	"slices"
	"strings"
	"time"
)

// A host that says one thing twice has one reply too many: each behind it is taken for that to the next command, and one recipient is given the answer
// about another. At the end, one is left over.

// checkInStep fails when more replies came than were asked for: then none of them can be matched to its command. One reply too many early in
// the session moves every answer on by one, and makes an accepted target of a refused one, or gives one recipient the answer about another. The
// answer left over comes close behind the others, so that it is worth listening for it, unless a target was refused together with its control,
// which nothing but a refusal can have moved there.
func (f *flight) checkInStep(ctx context.Context) error {
	s := f.s
	ahead := s.conn.ahead()
	if ahead == "" && (len(f.named) != 2 || !f.alone() || f.anyAccepted()) {
		ahead = s.conn.listen(ctx, f.leftover())
	}
	if ahead == "" || isServiceClosing(ahead) {
		return nil
	}
	return s.outOfStep(ctx, PhaseRCPT, ahead)
}

// checkMail fails when what was taken for the reply to MAIL is that to EHLO once more. A host that says everything twice, each after the same time,
// would be found out by nothing else.
func (f *flight) checkMail(ctx context.Context) error {
	s, r := f.s, f.mail.reply
	if len(r.Lines) < 2 || r.Code != s.EHLO.Code || !slices.Equal(r.Lines, s.EHLO.Lines) {
		return nil
	}
	return s.fault(ctx, PhaseMAIL, protocolError("replies out of step: EHLO was answered twice"))
}

// pace is how long the replies about recipients took, each from the one before it or from its command.
type pace struct{ least, most time.Duration }

func (p *pace) note(took time.Duration) {
	if p.least == 0 || took < p.least {
		p.least = max(took, 1)
	}
	p.most = max(p.most, took)
}

// leftover is how long to listen for a reply too many. A host sends it together with the others, unless it takes its time over each: there, the one too
// many came sooner than the rest, and what is left over comes as late as they did.
func (f *flight) leftover() time.Duration {
	if f.inStep || f.alone() && f.distinct(*f.named[0].reply) || f.pace.least > f.pace.most/2 {
		return leftoverWait
	}
	wait := min(f.pace.most, mostLeftoverWait) + leftoverWait
	if end := f.ends(); !end.IsZero() {
		wait = min(wait, time.Until(end)/2)
	}
	return max(wait, leftoverWait)
}

// shows reports whether the reply to RSET shows those before it to be in step with the commands: it has the words that are usual there, or where these
// are not known yet, speaks of no recipient, and no reply to MAIL or about a recipient has the same.
func (f *flight) shows(reset Reply, usual string) bool {
	words := wording(reset)
	if usual != "" && words != usual || usual == "" && f.speaksOfRecipient(reset) || words == wording(*f.mail.reply) {
		return false
	}
	return !slices.ContainsFunc(f.named, func(r recipient) bool {
		return r.reply != nil && r.reply.Code == reset.Code && r.reply.Enhanced == reset.Enhanced && wording(*r.reply) == words
	})
}

// distinct reports whether a reply is like those to RCPT, and not to MAIL.
func (f *flight) distinct(r Reply) bool {
	if r.Enhanced != "" {
		return strings.HasSuffix(r.Enhanced, destinationValid)
	}
	return !f.shifted && wording(r) != wording(*f.mail.reply)
}

// anyAccepted reports whether a recipient was, the control included.
func (f *flight) anyAccepted() bool {
	return slices.ContainsFunc(f.named, func(r recipient) bool { return r.reply != nil && refusal(*r.reply) == nil })
}

func isServiceClosing(ahead string) bool { return strings.HasPrefix(ahead, "421") }
