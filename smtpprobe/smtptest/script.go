package smtptest

import (
	"fmt"
	"net"
	"strings"
)

// Script returns a handler that plays the dialogue in text on every connection,
// one step a line:
//
//	S: 220 mx ready                   sends the text and CRLF
//	C: RCPT TO:<*@example.test>       waits for such a line; "*" is any text, the rest is case-sensitive
//	raw: 250 ok\r\n\x00               sends bytes, with the escapes of Go's strings, and no line end of its own
//	drip 2s 220 mx ready              sends the text and CRLF a byte at a time, with a wait after each
//	flood 220-more\r\n                sends bytes, escaped as those of raw, again and again until the client leaves
//	times 1000 250-more\r\n            sends bytes, escaped as those of raw, so many times
//	sleep 4s                          waits, unless the client leaves
//	byte                              waits until the client has sent something
//	message                           reads a message, until the dot behind it
//	starttls                          makes a TLS handshake, and forgets all that was said before
//	starttls KIND                     the same, with a certificate that is "expired" or for an "other-name", in an
//	                                  "old" version, or one that "wants-certificate" from the client
//	skip                              does nothing
//	hang                              answers nothing more until the client leaves
//	close                             hangs up, over TLS with a close_notify
//	reset                             resets the connection
//	# a remark                        is ignored, as are blank lines
//
// A line that the client sends in place of the expected one is answered 503,
// and noted in [Session].Err; so are expected lines that never came. After the
// last step QUIT is answered. Script panics when text is not a script.
func Script(text string) Handler {
	s, err := parseScript(text)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	return s
}

// script is a dialogue to play.
type script struct {
	steps []step
	host  Host // with nothing but certificates
}

func parseScript(text string) (Handler, error) {
	s := &script{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		st, err := parseStep(line)
		if err != nil {
			return nil, fmt.Errorf("script line %d: %w", i+1, err)
		}
		st.line = i + 1
		s.steps = append(s.steps, st)
	}
	return s, nil
}

// ServeSMTP plays the script.
func (s *script) ServeSMTP(conn net.Conn) {
	t := newTalk(wireOf(conn), &s.host)
	defer func() { _ = t.wire.Close() }()
	defer t.flush()
	for _, st := range s.steps {
		if !st.do(t, st) {
			return
		}
	}
	t.finish()
}

// finish answers QUIT, and nothing else, after the last step.
func (t *talk) finish() {
	for {
		line, ok := t.readLine()
		switch {
		case !ok:
			return
		case verbOf(line) == "QUIT":
			t.line("221 2.0.0 Bye")
			return
		}
		t.unexpected(line, "the script's end")
	}
}

// unexpected notes and answers a line that the script does not have.
func (t *talk) unexpected(line, wanted string) {
	t.wire.fail(fmt.Errorf("client sent %q at %s", line, wanted))
	t.line("503 5.5.1 not in the script")
}
