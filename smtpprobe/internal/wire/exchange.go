package wire

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Exchange is a command and its reply: lines of the transcript.
type Exchange struct {
	Reply    *smtp.Reply // nil: there was none
	command  int         // its line; the reply's are from…to; 0: it was not sent
	from, to int
}

// Send sends commands as one group, unless the server has already said
// something unasked. A 421 is its right at any time (RFC 5321 §3.8); it is left
// to be read as the reply to the command not sent. Send returns the exchanges
// that [Conn.Read] completes, in this order.
func (c *Conn) Send(ctx context.Context, phase smtp.Phase, commands ...string) ([]Exchange, error) {
	exchanges := make([]Exchange, len(commands))
	for i := range exchanges {
		exchanges[i].command = len(c.log.lines) + i
	}
	return exchanges, c.send(ctx, phase, commands...)
}

func (c *Conn) send(ctx context.Context, phase smtp.Phase, commands ...string) error {
	if ahead := c.stream.ahead(); ahead != "" {
		if isServiceClosing(ahead) {
			return nil
		}
		return c.Leftover(ctx, phase)
	}
	deadline := c.deadline(phase)
	if err := c.stream.armWrite(ctx, deadline); err != nil {
		return c.Fault(ctx, phase, err)
	}
	if !time.Now().Before(deadline) {
		// Before the write fails: it leaves a connection that can do no more,
		// not even QUIT.
		return c.Fault(ctx, phase, os.ErrDeadlineExceeded)
	}
	if err := c.stream.send(commands...); err != nil {
		return c.Fault(ctx, phase, err)
	}
	return nil
}

func isServiceClosing(ahead string) bool { return strings.HasPrefix(ahead, "421") }

// Read reads the next reply into an exchange.
func (c *Conn) Read(ctx context.Context, phase smtp.Phase, into *Exchange) error {
	from := len(c.log.lines)
	reply, err := c.read(ctx, phase)
	if err != nil {
		return err
	}
	into.from, into.to, into.Reply = from, len(c.log.lines), &reply
	return nil
}

// ask sends a command of the opening and reads its reply.
func (c *Conn) ask(ctx context.Context, phase smtp.Phase, command string, into **smtp.Reply) error {
	if err := c.send(ctx, phase, command); err != nil {
		return err
	}
	return c.readInto(ctx, phase, into)
}

// readInto reads the next reply into the opening. If there is none, that stays
// as it is.
func (c *Conn) readInto(ctx context.Context, phase smtp.Phase, into **smtp.Reply) error {
	reply, err := c.read(ctx, phase)
	if err != nil {
		return err
	}
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	*into = &reply
	return nil
}

func (c *Conn) read(ctx context.Context, phase smtp.Phase) (smtp.Reply, error) {
	if err := c.stream.armRead(ctx, c.deadline(phase)); err != nil {
		return smtp.Reply{}, c.Fault(ctx, phase, err)
	}
	reply, err := c.stream.readReply()
	if err == nil && !fits(phase, reply.Code) {
		err = smtp.ProtocolError(fmt.Sprintf("reply code %d cannot be the answer at %s", reply.Code, phase))
	}
	if err == nil && phase == smtp.PhaseRCPT && reply.Code >= 500 && reply.Contradictory() {
		err = smtp.ProtocolError("replies out of step: different enhanced status codes in one reply")
	}
	if err != nil {
		return smtp.Reply{}, c.Fault(ctx, phase, err)
	}
	return reply, nil
}

// fits reports whether a reply code can be the answer in a phase: a refusal
// always can. A positive one is about the connection (22z) where a connection
// begins. Where mail is asked about, one about the connection, help (21z) or
// authentication (23z) belongs to something else and accepts nothing, say a 221
// at RCPT; any other 2yz is read by its first digit (RFC 5321 §4.3.2).
func fits(phase smtp.Phase, code int) bool {
	switch {
	case code >= 400:
		return true
	case phase == smtp.PhaseGreeting, phase == smtp.PhaseSTARTTLS:
		return code/10 == 22
	default:
		return code/100 == 2 && (code < 210 || code >= 240)
	}
}

// Listen takes in what has arrived already, for [Conn.Leftover] to see.
func (c *Conn) Listen(ctx context.Context) { c.stream.listen(ctx, alreadyThere) }

// Leftover fails if something arrived that nothing asked for. A 421 may.
func (c *Conn) Leftover(ctx context.Context, phase smtp.Phase) error {
	ahead := c.stream.ahead()
	if ahead == "" || isServiceClosing(ahead) {
		return nil
	}
	c.log.add(smtp.FromServer, ahead)
	return c.Fault(ctx, phase, smtp.ProtocolError("replies out of step: something arrived unasked"))
}

// deadline bounds the next wait: by the phase's timeout and by the bound.
// Connecting, the greeting and STARTTLS are where a dead route shows, so there
// one wait takes at most half of the time that is left as long as something
// else could be tried in the other half. Any other extension on trial is mostly
// innocent of a silence, and leaves a quarter for the try without it. A
// connection, which good hosts take up at once, leaves time for all others,
// even if they are yet to be looked up and may not exist.
func (c *Conn) deadline(phase smtp.Phase) time.Time {
	c.log.mu.Lock()
	c.phase = phase
	c.log.mu.Unlock()
	now := time.Now()
	timeout := c.config.Command
	if phase == smtp.PhaseConnect {
		timeout = c.config.Connect
	}
	if c.until.IsZero() {
		return now.Add(timeout)
	}
	left := c.until.Sub(now)
	most := left
	switch {
	case c.trial == STARTTLS, !c.peer.Last && (phase == smtp.PhaseConnect || phase == smtp.PhaseGreeting):
		most = left / 2
	case c.trial != "":
		most = left / 4 * 3
	}
	if phase == smtp.PhaseConnect {
		most = min(most, max(leastShare, left-time.Duration(c.peer.Others)*leastShare))
	}
	c.hurried = most < timeout
	return now.Add(min(timeout, most))
}

// Fault returns the failure of a conversation that met with err.
func (c *Conn) Fault(ctx context.Context, phase smtp.Phase, err error) error {
	kind := talkKind(ctx, err)
	agreed := c.trial == STARTTLS && c.opening.STARTTLS != nil && !c.opening.STARTTLS.Refused()
	if agreed && kind != smtp.KindProtocol && kind != smtp.KindCancelled {
		phase, kind = smtp.PhaseSTARTTLS, smtp.KindTLS
	}
	return &smtp.Failure{Phase: phase, Kind: kind, Text: failureText(kind, err)}
}

// Note adds a remark to the transcript.
func (c *Conn) Note(text string) { c.log.add(smtp.FromProber, text) }

// NoteQuit notes in the transcript that QUIT will follow, if it will.
func (c *Conn) NoteQuit() {
	if c.stream != nil && c.stream.usable {
		c.log.add(smtp.FromClient, quitCommand)
	}
}

// Transcript returns what was said: all of it, or the opening alone.
func (c *Conn) Transcript(openingOnly bool) []smtp.Line {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if openingOnly && c.opened > 0 {
		return slices.Clone(c.log.lines[:c.opened])
	}
	return slices.Clone(c.log.lines)
}

// Excerpt returns the opening and some exchanges of the transaction, with a
// remark between them unless it is empty.
func (c *Conn) Excerpt(remark string, exchanges ...Exchange) []smtp.Line {
	const usual = 7 // a remark, three commands, and their replies of a line each
	log := c.log.lines
	lines := append(make([]smtp.Line, 0, c.opened+usual), log[:c.opened]...)
	if remark != "" {
		at := min(c.opened, len(log)-1)
		lines = append(lines, smtp.Line{From: smtp.FromProber, Text: remark, At: log[at].At})
	}
	for _, e := range exchanges {
		if e.command > 0 && e.command < len(log) { // the log may have been full
			lines = append(lines, log[e.command])
			lines = append(lines, log[e.from:e.to]...)
		}
	}
	return lines
}
