package smtptest

import (
	"bufio"
	"errors"
	"slices"
	"strings"
	"time"
)

// maxBuffer is enough for the commands that come together; lines may be longer.
const maxBuffer = 1024

// talk is the server's side of one connection. Replies wait until the client
// has nothing more to say, and then go out together (RFC 2920 §3.2).
type talk struct {
	host  *Host
	visit *Visit
	wire  *wire
	in    *bufio.Reader
	out   []byte // replies that were not sent yet

	arrived time.Time // when the last command had
	awaited string    // the verb of the last command, if its reply was not sent yet
	greeted bool      // EHLO or HELO was accepted
	offered bool      // PIPELINING was
	mailing bool      // within a transaction
	sender  string    // of it
	utf8    bool      // it has SMTPUTF8
	turned  bool      // away: the greeting was a refusal
	over    bool      // nothing more will be said
}

func newTalk(w *wire, h *Host) *talk {
	return &talk{wire: w, host: h, in: bufio.NewReaderSize(w, maxBuffer)}
}

func (t *talk) greet() {
	h := t.host
	greeting := t.chosen("", instead(h.Greeting, "220 "+h.name()+" ESMTP"))
	if !t.pause(h.GreetingDelay) {
		return
	}
	if t.wire.eager.pending() {
		t.wire.fail(errors.New("client spoke before the greeting"))
	}
	t.turned = !accepts(greeting)
	t.perform(greeting)
}

// converse hears a command, or if the host has an arrangement all that came
// together, and answers.
func (t *talk) converse() {
	if !t.more() {
		t.flush()
		t.visit.Waits++
	}
	var commands, answers []string
	for !t.over && (commands == nil || t.host.Arrange != nil && t.more()) {
		command, ok := t.hear()
		if !ok {
			return
		}
		commands, answers = append(commands, command), append(answers, t.answer(command))
	}
	if t.host.Arrange != nil && commands != nil {
		answers = t.host.Arrange(t.visit, commands, answers)
	}
	for _, answer := range answers {
		t.perform(answer)
	}
	if t.more() {
		t.checkFlight()
	}
	t.over = t.over || t.visit.QUIT
}

// more reports whether the client has said more. Under TLS what arrives may be
// no more than the client's closing of it.
func (t *talk) more() bool {
	return t.in.Buffered() > 0 || !t.wire.secure && t.wire.eager.pending()
}

// hear returns the client's next line.
func (t *talk) hear() (line string, ok bool) {
	line, err := t.in.ReadString('\n')
	if err != nil {
		t.flush()
		t.over, t.visit.Lost = true, true
		return "", false
	}
	t.arrived = t.wire.eager.lastArrival()
	line = strings.TrimRight(line, "\r\n")
	t.awaited = verbOf(line)
	return line, true
}

// waitedFor are commands behind which a client has to wait for the reply.
var waitedFor = []string{"EHLO", "HELO", "STARTTLS", "DATA", "QUIT"}

// checkFlight notes a client that sends more without waiting for the reply,
// where RFC 2920 §3.1 does not let it.
func (t *talk) checkFlight() {
	if t.awaited != "" && !t.offered || slices.Contains(waitedFor, t.awaited) {
		t.wire.fail(errors.New("client did not wait for the reply to " + t.awaited))
	}
}

// flush sends the replies when they are due. It reports whether the session
// goes on.
func (t *talk) flush() bool {
	if delay := t.host.ReplyDelay; delay > 0 && !t.wire.sleep(time.Until(t.arrived.Add(delay))) {
		t.out, t.over = nil, true
	}
	if len(t.out) == 0 {
		return !t.over
	}
	if t.more() {
		t.checkFlight()
	}
	if !t.wire.drip(t.out, t.host.ByteDelay) {
		t.over = true
	}
	t.out, t.awaited = t.out[:0], ""
	return !t.over
}

// pause sends what there is to say, and waits. It reports whether the client is
// still there.
func (t *talk) pause(d time.Duration) bool {
	if d > 0 && (!t.flush() || !t.wire.sleep(d)) {
		t.over = true
	}
	return !t.over
}

// perform says a text, or does what stands in it.
func (t *talk) perform(text string) {
	begins := true // a reply
	for line := range strings.SplitSeq(text, "\n") {
		if t.over {
			return
		}
		if step, ok := stepOf(line); ok {
			t.visit.Odd = t.visit.Odd || line != "starttls"
			t.over = !step.do(t, step) || t.over
			continue
		}
		if begins && !t.pause(t.host.Pace) {
			return
		}
		t.line(line)
		begins = len(line) < 4 || line[3] != '-'
		if begins && strings.HasPrefix(line, "421") {
			t.host.leave(t.visit)
			t.over = true
		}
	}
}

// stepOf returns the step that a line of a text is, if it is one: no reply
// begins as they do.
func stepOf(line string) (step, bool) {
	if line == "" || '0' <= line[0] && line[0] <= '9' {
		return step{}, false
	}
	s, err := parseStep(line)
	return s, err == nil
}

// accepts reports whether the first reply in a text does.
func accepts(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "S: "), "raw: ")
		if _, ok := stepOf(line); !ok {
			return strings.HasPrefix(line, "2")
		}
	}
	return false
}

func (t *talk) lineEnd() string { return orDefault(t.host.LineEnd, "\r\n") }

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
