package smtpprobe

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// session is a connection to a mail host. One goroutine has it
// ([session.live]); what is found, order and abort are for others too.
type session struct {
	*wire.Conn
	mail *transaction.Session

	id     schedule.SessionID
	pool   *Pool
	first  *job // that it is opened for; nil: it is open
	route  route
	host   string
	egress egress.Egress // as it was at the beginning
	ctx    context.Context
	stop   context.CancelFunc
	orders chan order // has room for all that there can be
}

// order is what a session is to do: run a transaction about some jobs, or quit.
type order struct {
	schedule.Action
	jobs, controls []*job
	calls          []string // for each target: the other mailbox that the last answer about it named; empty: none did
}

// newSession returns the session to be opened. The pool's lock is held.
func newSession(p *Pool, a schedule.Action) *session {
	j, e, t := p.jobs[a.For], p.ways[a.Egress], p.config.Timeouts
	s := &session{
		id: a.Session, pool: p, first: j, route: j.route, host: hostName(j.route.host), egress: e,
		orders: make(chan order, 2),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	peer := wire.Peer{
		Dialer: e.Dialer, Host: s.host, Addr: j.route.addr,
		Last: j.route.last, Others: j.route.others, Shunned: a.Shun,
	}
	config := wire.Config{HELO: p.config.helo(e), Connect: t.Connect, Command: t.Command}
	s.Conn = wire.New(config, peer, a.Until)
	s.mail = &transaction.Session{
		Conn: s.Conn, MailFrom: p.config.mailFrom(e), Classify: s.read,
		ManyRefused: schedule.ManyRefused, Grouped: a.Tried,
	}
	j.takenBy(s)
	return s
}

// read reads a reply, of which phase and mailbox are given.
func (s *session) read(phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Classification {
	reading := s.pool.config.Classifier.Read(replies.Input{
		Phase: phase, Reply: reply, Host: s.host, Mailbox: mailbox, Sender: s.mail.MailFrom,
	})
	if strings.HasPrefix(mailbox, "@") {
		reading.Class = ControlClass(reading, reply)
	}
	return reading
}

// order has the session do something next. It never waits: the plan orders one
// thing after the other.
func (s *session) order(o order) {
	s.orders <- o
	s.Wake()
}

// abort ends the session at once.
func (s *session) abort() {
	s.stop()
	s.Interrupt()
}

// live is the life of a session, from the connection to QUIT. Whatever happens,
// the plan is told of its end.
func (s *session) live() {
	defer s.closed()
	if err := s.Open(s.ctx); err != nil {
		s.notOpened(err)
		return
	}
	s.first = nil // what its caller has may be dropped while the session is kept
	s.pool.tell(schedule.Opened{Session: s.id, UTF8: s.Offers("SMTPUTF8"), TLS: s.Opening().TLS != ""})
	for s.next() {
	}
}

// closed ends the connection, with QUIT if the host would understand it.
func (s *session) closed() {
	s.Close(s.pool.config.Timeouts.Quit)
	s.stop()
	s.pool.mu.Lock()
	defer s.pool.unlock()
	delete(s.pool.sessions, s.id)
	s.pool.do(schedule.Closed{Session: s.id})
}

// next does what the session is to do next, or waits for it. It reports whether
// the session goes on.
func (s *session) next() bool {
	select {
	case o := <-s.orders:
		return o.Do == schedule.Run && s.carryOut(o)
	default:
	}
	if s.ctx.Err() != nil {
		return false
	}
	return s.Rest() || s.stillWanted()
}

// stillWanted tells the plan that the host has ended the session, or spoken in
// it, while it was idle: it reports whether there is an order nonetheless.
func (s *session) stillWanted() bool {
	s.pool.mu.Lock()
	defer s.pool.unlock()
	if len(s.orders) > 0 {
		return true
	}
	s.pool.do(schedule.Lost{Session: s.id})
	return false
}

// notOpened tells the plan why the session could not be opened.
func (s *session) notOpened(err error) {
	e := schedule.NotOpened{
		Session: s.id, Said: s.early(), Greeted: s.Opening().Greeting != nil,
		Trial: s.FailedTrial(err), Hurried: s.Hurried(), Resources: wire.OutOfResources(err),
	}
	told := account{err: err}
	if !e.Resources {
		var failure *smtp.Failure
		if errors.As(err, &failure) {
			e.Failure, e.Phase, e.Text = failure.Kind, failure.Phase, failure.Text
			s.Note(failure.Error())
		}
		s.NoteQuit()
		s.logEnd(failure)
		found := s.findings(s.first)
		found.Failure, found.Trial, found.Transcript = failure, e.Trial, s.Transcript(false)
		told.found, told.offline = found, s.Offline()
		e.Account = &remark{session: brief(found), offline: told.offline}
	}
	p := s.pool
	p.mu.Lock()
	defer p.unlock()
	s.settled(s.first, told)
	p.do(e)
}

// early are the refusals before MAIL.
func (s *session) early() (said []schedule.Early) {
	o := s.Opening()
	for _, reply := range []*smtp.Reply{o.Greeting, o.EHLO} {
		if reply != nil && reply.Refused() {
			class := s.read(smtp.PhaseGreeting, *reply, "").Class
			said = append(said, schedule.Early{Class: class, Code: reply.Code, Enhanced: reply.Enhanced})
		}
	}
	return said
}

// carryOut carries a transaction out, and tells the plan what was said. It
// reports whether the session can go on.
func (s *session) carryOut(o order) bool {
	s.Shun(o.Shun)
	s.mail.Grouped = s.mail.Grouped || o.Tried
	t := newTalk(s, o)
	t.carryOut()
	told := t.accounts()
	e := schedule.Settled{Session: s.id, Outcome: t.outcome(), Account: t.remark()}
	p := s.pool
	p.mu.Lock()
	defer p.unlock()
	for i, j := range o.jobs {
		s.settled(j, told[i])
		j.calls = t.asked.Calls[i]
	}
	p.do(e)
	return !e.Outcome.Ended
}

// settled notes what a session was to a job, unless another has it now. The
// pool's lock is held.
func (s *session) settled(j *job, told account) {
	if s.pool.jobs[j.id] == j && j.session == s {
		j.account = told
	}
}

// logEnd logs a session without any text, because a server's may name the
// mailbox.
func (s *session) logEnd(failure *smtp.Failure) {
	ctx, log := context.Background(), s.pool.config.Logger
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("host", s.host), slog.String("addr", s.route.addr.String()),
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

// findings is what was found in the opening, as it concerns a job.
func (s *session) findings(j *job) *Session { return s.foundBy(j.route.host) }

// foundBy is the same for those that ask a mail host of some name.
func (s *session) foundBy(host string) *Session {
	o := s.Opening()
	return &Session{
		Host: hostName(host), Addr: s.route.addr, Egress: s.egress.Name, MailFrom: s.egress.MailFrom,
		TLS: o.TLS, Extensions: o.Extensions, Greeting: o.Greeting, EHLO: o.EHLO, STARTTLS: o.STARTTLS,
		Shunned: s.Shunned(),
	}
}

// soFar is what is known of the session of a job that could not wait for it:
// its opening, as what follows may be about others.
func (s *session) soFar(j *job, kind smtp.Kind) *Session {
	found := s.findings(j)
	found.Transcript = s.Transcript(true)
	found.Failure = &smtp.Failure{Phase: s.Phase(), Kind: kind, Text: wire.NoAnswer}
	if kind == smtp.KindLimited {
		found.Failure = lateTurn(s.Phase())
	}
	return found
}
