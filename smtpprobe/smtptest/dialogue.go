package smtptest

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// dialogue stands between the client and go-smtp, which knows SMTP: it hands
// go-smtp one command at a time, and sends its replies in the words and at the
// time that the host's fields ask for. What go-smtp cannot say is answered
// here.
type dialogue struct {
	host  *Host
	wire  *wire
	lines *bufio.Reader

	phase     smtp.Phase // what is to be answered next
	verb      string     // of the command
	arrived   time.Time  // when it had
	pipelined bool       // PIPELINING was offered
	message   bool       // the client is sending a message
	exact     string     // go-smtp's reply in the host's own words; empty: as it is
	over      bool       // nothing more will be said
	upgraded  bool       // TLS was started since go-smtp began
}

func newDialogue(h *Host, w *wire) *dialogue {
	return &dialogue{host: h, wire: w, lines: bufio.NewReader(w), phase: smtp.PhaseGreeting, arrived: time.Now()}
}

// run talks until the session is over. After STARTTLS go-smtp begins anew, as
// RFC 3207 §4.2 wants all that was said before forgotten.
func (d *dialogue) run() {
	d.greet()
	for !d.over {
		d.upgraded = false
		serveGoSMTP(d)
		d.over = d.over || !d.upgraded
	}
}

func (d *dialogue) greet() {
	if d.faulty() || !d.wire.sleep(d.host.GreetingDelay) {
		d.over = true
		return
	}
	if d.wire.eager.pending() {
		d.wire.record.fail(errors.New("client spoke before the greeting"))
	}
	greeting := orDefault(d.host.Greeting, "220 "+d.host.name()+" ESMTP")
	d.send(greeting)
	if !accepts(greeting) {
		d.turnAway()
	}
}

// turnAway waits for QUIT after a greeting that refused (RFC 5321 §3.1).
func (d *dialogue) turnAway() {
	for !d.over {
		switch line, err := d.readLine(); {
		case err != nil:
			d.over = true
		case verbOf(line) == "QUIT":
			d.say("221 2.0.0 Bye")
			d.over = true
		default:
			d.say("503 5.5.1 No service here, please quit")
		}
	}
}

// next returns the next line that go-smtp has to answer, with its line end.
func (d *dialogue) next() (string, error) {
	for !d.over && !d.upgraded {
		line, err := d.readLine()
		if err != nil {
			return "", err
		}
		if d.message {
			if strings.TrimRight(line, "\r\n") == "." {
				d.message, d.verb = false, ""
			}
			return line, nil
		}
		if !d.faulty() && !d.answerAlone() {
			return line, nil
		}
	}
	return "", io.EOF
}

func (d *dialogue) readLine() (string, error) {
	line, err := d.lines.ReadString('\n')
	if err != nil {
		return "", err
	}
	d.arrived = d.wire.eager.lastArrival()
	if !d.message {
		d.verb = verbOf(line)
		d.phase = phaseOf(d.verb)
	}
	return line, nil
}

// checkFlight notes a client that sends more without waiting for the reply,
// where RFC 2920 §3.1 does not let it.
func (d *dialogue) checkFlight() {
	// Under TLS what arrives may be no more than the client's closing of it.
	if d.lines.Buffered() == 0 && (d.wire.secure || !d.wire.eager.pending()) {
		return
	}
	if !d.pipelined || slices.Contains([]string{"EHLO", "HELO", "STARTTLS", "DATA", "QUIT"}, d.verb) {
		d.wire.record.fail(errors.New("client did not wait for the reply to " + d.verb))
	}
}

// faulty plays HangAt, CloseAt, ResetAt and LeaveAt, and reports whether it
// did.
func (d *dialogue) faulty() bool {
	switch d.phase {
	case "":
		return false
	case d.host.HangAt:
		d.wire.hang()
	case d.host.CloseAt:
	case d.host.resetAt:
		d.wire.reset()
	case d.host.leaveAt:
		d.say("421 4.3.2 " + d.host.name() + " Service closing transmission channel")
	default:
		return false
	}
	d.over = true
	return true
}

// answerAlone answers the commands that go-smtp is not to see, and reports
// whether it did.
func (d *dialogue) answerAlone() bool {
	h := d.host
	switch {
	case d.verb == "STARTTLS" && h.STARTTLS != TLSNone && !d.wire.secure:
		d.startTLS()
	case d.verb == "EHLO" && h.EHLO != "" && !accepts(h.EHLO):
		d.say(h.EHLO)
	case d.verb == "BDAT":
		d.say("502 5.5.1 BDAT command not implemented")
	case h.RequireTLS && !d.wire.secure &&
		!slices.Contains([]string{"EHLO", "HELO", "NOOP", "STARTTLS", "QUIT"}, d.verb):
		d.say("530 5.7.0 Must issue a STARTTLS command first")
	default:
		return false
	}
	return true
}

func (d *dialogue) startTLS() {
	switch d.host.STARTTLS {
	case TLSRefused:
		d.say(tlsRefusal)
		return
	case TLSInjects:
		d.say(tlsReady + "\n" + tlsInjected)
	default:
		d.say(tlsReady)
	}
	d.wire.muted = true
	d.over = d.over || !d.handshake()
}

// handshake does as the mode says after STARTTLS was agreed on, and reports
// whether the session goes on under TLS.
func (d *dialogue) handshake() bool {
	switch d.host.STARTTLS {
	case TLSCloses:
		return false
	case TLSStalls:
		d.wire.hang()
		return false
	case TLSGarbage:
		d.send(tlsGarbage)
		return false
	}
	if d.wire.startTLS(d.host.tlsConfig()) != nil {
		return false
	}
	d.lines.Reset(d.wire)
	d.pipelined, d.upgraded = false, true
	return d.firstUnderTLS()
}

// firstUnderTLS plays the modes whose fault comes after the handshake, and
// reports whether the session goes on.
func (d *dialogue) firstUnderTLS() bool {
	switch d.host.STARTTLS {
	case tlsFallsSilent:
		d.wire.hang()
	case tlsBreaksOff:
		if _, err := d.readLine(); err == nil {
			d.wire.drip([]byte(tlsHalf), 0)
		}
	case tlsFloods:
		for d.wire.drip([]byte("250-more\r\n"), 0) {
		}
	default:
		return true
	}
	return false
}

// reply passes on a reply of go-smtp, which begins with a greeting that the
// client has had from greet or does not get at all.
func (d *dialogue) reply(text string) {
	switch {
	case d.exact != "":
		text, d.exact = d.exact, ""
	case d.verb == "EHLO" && accepts(text):
		text = orDefault(d.host.EHLO, multiline("250", d.host.keywords(d.wire.secure)))
		d.pipelined = strings.Contains(strings.ToUpper(text), "PIPELINING")
	case strings.HasPrefix(text, "502") && slices.Contains([]string{"MAIL", "RCPT", "DATA"}, d.verb):
		text = "503" + text[3:] // out of sequence, not unknown (RFC 5321 §4.3.2)
	case strings.HasPrefix(text, "354"):
		d.message = true
	}
	d.say(text)
}

// say sends a reply when it is due.
func (d *dialogue) say(text string) {
	wait := time.Until(d.arrived.Add(d.host.ReplyDelay))
	if d.phase == smtp.PhaseRCPT {
		wait = max(wait, 0) + d.host.RCPTDelay
	}
	here := d.wire.sleep(wait)
	d.checkFlight()
	if !here {
		d.over = true
		return
	}
	d.send(text)
}

func (d *dialogue) send(text string) {
	data := []byte(strings.ReplaceAll(text+"\n", "\n", orDefault(d.host.lineEnd, "\r\n")))
	if !d.wire.drip(data, d.host.byteDelay) || strings.HasPrefix(text, "421") {
		d.over = true
	}
}

func accepts(reply string) bool { return strings.HasPrefix(reply, "2") }

// multiline makes one reply of lines (RFC 5321 §4.2.1).
func multiline(code string, lines []string) string {
	last := len(lines) - 1
	text := ""
	for _, line := range lines[:last] {
		text += code + "-" + line + "\n"
	}
	return text + code + " " + lines[last]
}
