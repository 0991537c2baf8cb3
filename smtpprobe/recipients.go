package smtpprobe

import (
	"context"
	"strings"
	"time"
)

// ask names the reverse-path and the recipients.
func (s *session) ask(ctx context.Context) error {
	if s.req.SMTPUTF8 && !s.offers("SMTPUTF8") {
		return s.withoutSMTPUTF8()
	}
	askMAIL := s.askInTurn
	if s.offers("PIPELINING") {
		askMAIL = s.askAtOnce
	}
	if err := askMAIL(ctx); err != nil {
		return err
	}
	if s.recipientsLimited() {
		if err := s.askControlAlone(ctx); err != nil {
			return err
		}
	}
	return s.checkInStep(ctx)
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer and failed, what would be offered over TLS is unknown.
func (s *session) withoutSMTPUTF8() error {
	if s.tlsUnusable() {
		return s.fail(PhaseMAIL, KindTLS, "SMTPUTF8 is not offered without TLS")
	}
	return s.fail(PhaseMAIL, KindSMTPUTF8, "SMTPUTF8 is not offered")
}

// mailCommand never has a BODY parameter: that declares the encoding of a body (RFC 6152 §3), and none will follow.
func (s *session) mailCommand() string {
	command := "MAIL FROM:<" + s.prober.config.MailFrom + ">"
	if s.req.SMTPUTF8 {
		command += " SMTPUTF8" // RFC 6531 §3.4
	}
	return command
}

func rcptCommand(mailbox string) string { return "RCPT TO:<" + mailbox + ">" }

// askAtOnce sends MAIL and RCPT in one group (RFC 2920 §3.1) and reads the answers.
func (s *session) askAtOnce(ctx context.Context) error {
	commands := []string{s.mailCommand(), rcptCommand(s.req.Target)}
	if s.req.Control != "" {
		commands = append(commands, rcptCommand(s.req.Control))
	}
	if err := s.send(ctx, PhaseMAIL, commands...); err != nil {
		return err
	}
	if err := s.readInto(ctx, PhaseMAIL, &s.MAIL); err != nil {
		return err
	}
	if refusal(*s.MAIL) != nil {
		s.skipReplies(ctx, *s.MAIL, len(commands)-1)
		return errRefused
	}
	if err := s.readInto(ctx, PhaseRCPT, &s.Target); err != nil {
		return err
	}
	if !s.wantsControl() {
		return nil
	}
	return s.readInto(ctx, PhaseRCPT, &s.Control)
}

// skipReplies reads the answers to the commands sent behind a refused one. They speak about its lack, and are for the transcript only: who
// waits for the result does not wait for them.
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

// askInTurn sends each command when the one before is answered.
func (s *session) askInTurn(ctx context.Context) error {
	if err := s.exchange(ctx, PhaseMAIL, s.mailCommand(), &s.MAIL); err != nil {
		return err
	}
	if err := refusal(*s.MAIL); err != nil {
		return err
	}
	if err := s.exchange(ctx, PhaseRCPT, rcptCommand(s.req.Target), &s.Target); err != nil {
		return err
	}
	if !s.wantsControl() {
		return nil
	}
	return s.exchange(ctx, PhaseRCPT, rcptCommand(s.req.Control), &s.Control)
}

// recipientsLimited reports whether the target was accepted and the control refused for being one recipient too many (RFC 5321 §4.5.3.1.10,
// RFC 3463 §3.6). Nothing is known then of whether the host checks its recipients.
func (s *session) recipientsLimited() bool {
	if s.Control == nil || refusal(*s.Target) != nil {
		return false
	}
	return strings.HasSuffix(s.Control.Enhanced, ".5.3") || s.Control.Code == replyInsufficientStorage && s.Control.Enhanced == ""
}

// askControlAlone asks about the control in a transaction of its own. Where that is refused too, the answer stays what it was.
func (s *session) askControlAlone(ctx context.Context) error {
	commands := []string{"RSET", s.mailCommand(), rcptCommand(s.req.Control)}
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
		reply, err := s.reply(ctx, PhaseRCPT)
		switch {
		case err != nil:
			return err
		case i == len(commands)-1:
			s.Control = &reply
		case refusal(reply) != nil:
			if pipelined {
				s.skipReplies(ctx, reply, len(commands)-1-i)
			}
			return nil
		}
	}
	return nil
}

// wantsControl reports whether an answer about the control recipient is wanted and, after the target's, still to be had.
func (s *session) wantsControl() bool {
	return s.req.Control != "" && s.Target.Code != replyServiceClosing
}

// checkInStep fails when more replies came than were asked for: then none of them can be matched to its command. One reply too many early in
// the session moves every answer on by one, and makes an accepted target of a refused one; the answer left over comes close behind the
// others, so an acceptance that would prove the mailbox is worth listening for it.
func (s *session) checkInStep(ctx context.Context) error {
	if s.Target.Code == replyServiceClosing {
		return nil
	}
	ahead := s.conn.ahead()
	if ahead == "" && s.provesMailbox() {
		ahead = s.conn.listen(ctx, leftoverWait)
	}
	if ahead == "" || isServiceClosing(ahead) {
		return nil
	}
	return s.outOfStep(ctx, PhaseRCPT, ahead)
}

// provesMailbox reports whether the target was accepted and the control was not.
func (s *session) provesMailbox() bool {
	return refusal(*s.Target) == nil && s.Control != nil && refusal(*s.Control) != nil
}

func isServiceClosing(ahead string) bool { return strings.HasPrefix(ahead, "421") }
