package smtptest

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"regexp"
	"strings"
)

// play is a script on one connection.
type play struct {
	wire  *wire
	lines *bufio.Reader
}

// ServeSMTP plays the script.
func (s script) ServeSMTP(conn net.Conn) {
	w := wireOf(conn)
	defer func() { _ = w.Close() }()
	p := &play{wire: w, lines: bufio.NewReader(w)}
	for _, st := range s {
		if !st.do(p, st) {
			return
		}
	}
	p.finish()
}

// finish answers QUIT, and nothing else, after the last step.
func (p *play) finish() {
	for {
		line, err := p.readLine()
		switch {
		case err != nil:
			return
		case verbOf(line) == "QUIT":
			p.send([]byte("221 2.0.0 Bye\r\n"))
			return
		case !p.unexpected(line, "the script's end"):
			return
		}
	}
}

// expect reads lines until one matches. A QUIT that does not ends the script.
func (p *play) expect(re *regexp.Regexp, s step) bool {
	wanted := fmt.Sprintf("line %d, %q", s.line, s.text)
	for {
		line, err := p.readLine()
		switch {
		case err != nil:
			p.wire.record.fail(fmt.Errorf("client left at %s", wanted))
			return false
		case re.MatchString(line):
			return true
		case verbOf(line) == "QUIT":
			p.wire.record.fail(fmt.Errorf("client quit at %s", wanted))
			p.send([]byte("221 2.0.0 Bye\r\n"))
			return false
		case !p.unexpected(line, wanted):
			return false
		}
	}
}

// unexpected notes and answers a line that the script does not have.
func (p *play) unexpected(line, wanted string) bool {
	p.wire.record.fail(fmt.Errorf("client sent %q at %s", line, wanted))
	return p.send([]byte("503 5.5.1 not in the script\r\n"))
}

func (p *play) readLine() (string, error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

func (p *play) send(b []byte) bool {
	_, err := p.wire.Write(b)
	return err == nil
}

// flood sends b until the client leaves, several at a time where it is short.
func (p *play) flood(b []byte) bool {
	const enough = 4096 // bytes at a time
	b = bytes.Repeat(b, max(1, enough/max(1, len(b))))
	for p.send(b) {
	}
	return false
}

func (p *play) startTLS(s step) bool {
	if p.wire.startTLS(newTLS(defaultName, notAfter).config) != nil {
		return false
	}
	p.lines.Reset(p.wire)
	return true
}

func (p *play) hang(step) bool {
	p.wire.hang()
	return false
}

func (p *play) close(step) bool { return false }

func (p *play) reset(step) bool {
	p.wire.reset()
	return false
}
