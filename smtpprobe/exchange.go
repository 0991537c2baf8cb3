package smtpprobe

import (
	"context"
	"fmt"
	"os"
	"time"
)

// exchange sends a command and reads its reply into the findings.
func (s *session) exchange(ctx context.Context, phase Phase, command string, into **Reply) error {
	if err := s.send(ctx, phase, command); err != nil {
		return err
	}
	return s.readInto(ctx, phase, into)
}

// readInto reads the next reply into the findings, where without one everything
// stays as it is.
func (s *session) readInto(ctx context.Context, phase Phase, into **Reply) error {
	reply, err := s.reply(ctx, phase)
	if err != nil {
		return err
	}
	s.log.mu.Lock()
	*into = &reply
	s.log.mu.Unlock()
	return nil
}

// ask sends a command of a transaction and reads its reply.
func (s *session) ask(ctx context.Context, phase Phase, command string, into *exchange) error {
	into.command = len(s.log.lines)
	if err := s.send(ctx, phase, command); err != nil {
		return err
	}
	return s.hear(ctx, phase, into)
}

// hear reads the next reply of a transaction.
func (s *session) hear(ctx context.Context, phase Phase, into *exchange) error {
	from := len(s.log.lines)
	reply, err := s.reply(ctx, phase)
	if err != nil {
		return err
	}
	into.from, into.to, into.reply = from, len(s.log.lines), &reply
	return nil
}

// send sends commands, unless the server has already said something unasked. A
// 421 is its right at any time (RFC 5321 §3.8); it is left to be read as the
// reply to the command not sent.
func (s *session) send(ctx context.Context, phase Phase, commands ...string) error {
	if ahead := s.conn.ahead(); ahead != "" {
		if isServiceClosing(ahead) {
			return nil
		}
		return s.outOfStep(ctx, phase, ahead)
	}
	deadline := s.deadline(phase)
	if err := s.conn.armWrite(ctx, deadline); err != nil {
		return s.fault(ctx, phase, err)
	}
	if !time.Now().Before(deadline) {
		return s.fault(ctx, phase, os.ErrDeadlineExceeded) // before the write fails: it leaves a session that can do no more, not even QUIT
	}
	if err := s.conn.send(commands...); err != nil {
		return s.fault(ctx, phase, err)
	}
	return nil
}

// reply reads the next reply.
func (s *session) reply(ctx context.Context, phase Phase) (Reply, error) {
	if err := s.conn.arm(ctx, s.deadline(phase)); err != nil {
		return Reply{}, s.fault(ctx, phase, err)
	}
	reply, err := s.conn.readReply()
	if err == nil && !fits(phase, reply.Code) {
		err = protocolError(fmt.Sprintf("reply code %d cannot be the answer at %s", reply.Code, phase))
	}
	if err == nil && phase == PhaseRCPT && reply.Code >= 500 && contradictory(reply) {
		err = protocolError("replies out of step: different enhanced status codes in one reply")
	}
	if err != nil {
		return Reply{}, s.fault(ctx, phase, err)
	}
	s.tlsPending = false
	return reply, nil
}

// fits reports whether a reply code can be the answer in a phase: a refusal
// always can; a positive reply is about the connection (22z) or about mail
// (25z), RFC 5321 §4.2.1. One of the other kind, say a 221 at RCPT, belongs to
// something else and accepts nothing.
func fits(phase Phase, code int) bool {
	switch {
	case code >= 400:
		return true
	case phase == PhaseGreeting, phase == PhaseSTARTTLS:
		return code/10 == 22
	default:
		return code/10 == 25
	}
}

// deadline bounds the next wait: by the phase's timeout and by the time for the
// asks. Connecting, the greeting and the TLS handshake are where a dead route
// shows, so there one wait takes at most half of the time that is left as long
// as something else could be tried in the other half. A connection, which good
// hosts take up at once, leaves time for all others, even if they are yet to be
// asked for and may not exist.
func (s *session) deadline(phase Phase) time.Time {
	now := time.Now()
	timeout := s.pool.config.Timeouts.Command
	if phase == PhaseConnect {
		timeout = s.pool.config.Timeouts.Connect
	}
	if s.bound.IsZero() {
		return now.Add(timeout)
	}
	left := s.bound.Sub(now)
	most := left
	if s.tlsPending || !s.route.last && (phase == PhaseConnect || phase == PhaseGreeting) {
		most = left / 2
	}
	if phase == PhaseConnect {
		most = min(most, max(leastShare, left-time.Duration(s.route.others)*leastShare))
	}
	s.hurried = most < timeout
	return now.Add(min(timeout, most))
}

// outOfStep is the failure of a session with replies that nothing asked for.
func (s *session) outOfStep(ctx context.Context, phase Phase, ahead string) error {
	s.log.add(fromServer, ahead)
	return s.fault(ctx, phase, protocolError("replies out of step: something arrived unasked"))
}

// fault is the failure of a conversation that met with err.
func (s *session) fault(ctx context.Context, phase Phase, err error) error {
	kind := talkKind(ctx, err)
	if s.tlsPending && kind != KindProtocol && kind != KindCancelled {
		phase, kind = PhaseSTARTTLS, KindTLS
	}
	return s.fail(phase, kind, failureText(kind, err))
}

func (s *session) fail(phase Phase, kind Kind, text string) error {
	return &Failure{Phase: phase, Kind: kind, Text: text}
}
