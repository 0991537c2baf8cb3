//go:build !plan

package smtpprobe

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// session is a connection to a mail host with what it was used for.
type session struct {
	*wire.Conn
	mail *transaction.Session

	pool   *Pool
	route  route
	egress egress.Egress // as it was at the beginning
	paced  *paced
	began  time.Time
}

// newSession returns the session to be opened for a job with its mail host. The
// pool's lock is held.
func newSession(p *Pool, h *mailHost, j *job) *session {
	r := j.route
	e := r.egress.Egress
	peer := wire.Peer{
		Dialer: e.Dialer, Host: hostName(r.host), Addr: r.addr,
		Last: r.last, Others: r.others, Shunned: h.trials.failed(time.Now()),
	}
	t := p.config.Timeouts
	config := wire.Config{HELO: p.config.helo(e), Connect: t.Connect, Command: t.Command}
	s := &session{
		Conn: wire.New(config, peer, j.ends()), pool: p, route: r, egress: e, paced: h.paced, began: time.Now(),
	}
	s.mail = &transaction.Session{
		Conn: s.Conn, MailFrom: p.config.mailFrom(e), Classify: s.read, ManyRefused: defaultRefused,
		Grouped: h.trials.passed(wire.PIPELINING),
	}
	return s
}

// read reads a reply, of which phase and mailbox are given.
func (s *session) read(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification {
	reading := s.pool.config.Classifier.Read(replies.Input{
		Phase: phase, Reply: reply, Host: hostName(s.route.host), Mailbox: mailbox, Sender: s.mail.MailFrom,
	})
	if strings.HasPrefix(mailbox, "@") {
		reading.Class = ControlClass(reading, reply)
	}
	return reading
}

// spent reports whether the session has been used enough.
func (s *session) spent(transactions int) bool {
	return s.mail.Unreset || s.mail.Transactions >= transactions || s.mail.Recipients >= mostNamed || s.Age() >= mostAge
}

// findings is what was found in the opening, as it concerns a job.
func (s *session) findings(j *job) *Session {
	o := s.Opening()
	return &Session{
		Host: hostName(j.route.host), Addr: s.route.addr, Egress: s.egress.Name, MailFrom: s.egress.MailFrom,
		TLS: o.TLS, Extensions: o.Extensions, Greeting: o.Greeting, EHLO: o.EHLO, STARTTLS: o.STARTTLS,
		Shunned: s.Shunned(),
	}
}

// notOpened is what the end of the opening, with an error, means for a job.
func (s *session) notOpened(j *job, err error) *Session {
	found := s.findings(j)
	_ = errors.As(err, &found.Failure)
	found.Trial = s.FailedTrial(err)
	found.Transcript = s.Transcript(false)
	return found
}

// logEnd logs a session without any text, because a server's may name the
// mailbox.
func (s *session) logEnd(failure *smtp.Failure) {
	ctx, log := context.Background(), s.pool.config.Logger
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("host", hostName(s.route.host)), slog.String("addr", s.route.addr.String()),
		slog.String("tls", s.Opening().TLS),
	}
	if name := s.egress.Name; name != "" {
		attrs = append(attrs, slog.String("egress", name))
	}
	if failure != nil {
		attrs = append(attrs, slog.String("phase", string(failure.Phase)), slog.String("failure", string(failure.Kind)))
	}
	log.LogAttrs(ctx, slog.LevelDebug, "smtp session", attrs...)
}

// soFar is what is known of the session of a job that could not wait for it:
// its opening, as what follows may be about others.
func (s *session) soFar(j *job, kind smtp.Kind) *Session {
	found := s.findings(j)
	found.Transcript = s.Transcript(true)
	found.Failure = &smtp.Failure{Phase: phaseOf(found), Kind: kind, Text: wire.NoAnswer}
	if kind == smtp.KindLimited {
		found.Failure = lateTurn(phaseOf(found))
	}
	return found
}
