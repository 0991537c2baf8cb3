package smtptest

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// step is one line of a [Script], or of a reply of a [Host]; do plays it, and
// reports whether the next is to follow.
type step struct {
	line int // of the script
	text string
	do   func(*talk, step) bool
}

func parseStep(line string) (s step, err error) {
	s.text = line
	word, arg, _ := strings.Cut(line, " ")
	switch word {
	case "S:":
		s.do = func(t *talk, _ step) bool { return t.line(arg) }
	case "C:":
		pattern := strings.ReplaceAll(regexp.QuoteMeta(arg), `\*`, `.*`)
		expected := regexp.MustCompile(`(?s)^` + pattern + `$`)
		s.do = func(t *talk, s step) bool { return t.expect(expected, s) }
	case "raw:":
		var b []byte
		b, err = unescape(arg)
		s.do = func(t *talk, _ step) bool { return t.say(b) }
	case "flood":
		var b []byte
		b, err = unescape(arg)
		s.do = func(t *talk, _ step) bool { return t.flood(b) }
	case "times":
		var n int
		var b []byte
		count, text, _ := strings.Cut(arg, " ")
		if n, err = strconv.Atoi(count); err == nil {
			b, err = unescape(text)
		}
		s.do = func(t *talk, _ step) bool { return t.say(bytes.Repeat(b, n)) }
	case "sleep":
		var d time.Duration
		d, err = time.ParseDuration(arg)
		s.do = func(t *talk, _ step) bool { return t.flush() && t.wire.sleep(d) }
	case "drip":
		var d time.Duration
		wait, text, _ := strings.Cut(arg, " ")
		d, err = time.ParseDuration(wait)
		s.do = func(t *talk, _ step) bool { return t.flush() && t.wire.drip([]byte(text+"\r\n"), d) }
	case "starttls":
		s.do = func(t *talk, _ step) bool { return t.startTLS(arg) }
	default:
		if s.do = plainSteps[line]; s.do == nil {
			err = fmt.Errorf("unknown step %q", line)
		}
	}
	return s, err
}

// plainSteps are those that one word says.
var plainSteps = map[string]func(*talk, step) bool{
	"S:":      func(t *talk, _ step) bool { return t.line("") },
	"byte":    (*talk).awaitByte,
	"message": (*talk).readMessage,
	Skips:     func(*talk, step) bool { return true },
	Hangs:     (*talk).hang,
	Closes:    func(*talk, step) bool { return false },
	Resets:    (*talk).reset,
}

// unescape replaces the escapes of Go's strings by the bytes they stand for.
func unescape(s string) ([]byte, error) {
	var out []byte
	for s != "" {
		r, multibyte, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return nil, fmt.Errorf("bad escape in %q", s)
		}
		if multibyte {
			out = utf8.AppendRune(out, r)
		} else {
			out = append(out, byte(r))
		}
		s = rest
	}
	return out, nil
}

func (t *talk) say(b []byte) bool {
	t.out = append(t.out, b...)
	return true
}

func (t *talk) line(text string) bool {
	t.out = append(append(t.out, text...), t.lineEnd()...)
	return true
}

func (t *talk) readLine() (line string, ok bool) {
	if !t.more() {
		t.flush()
	}
	line, err := t.in.ReadString('\n')
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), err == nil
}

// expect reads lines until one matches. A QUIT that does not ends the script.
func (t *talk) expect(re *regexp.Regexp, s step) bool {
	wanted := fmt.Sprintf("line %d, %q", s.line, s.text)
	for {
		line, ok := t.readLine()
		switch {
		case !ok:
			t.wire.fail(fmt.Errorf("client left at %s", wanted))
			return false
		case re.MatchString(line):
			return true
		case verbOf(line) == "QUIT":
			t.wire.fail(fmt.Errorf("client quit at %s", wanted))
			t.line("221 2.0.0 Bye")
			return false
		}
		t.unexpected(line, wanted)
	}
}

// flood sends b until the client leaves, several at a time where it is short.
func (t *talk) flood(b []byte) bool {
	const enough = 4096 // bytes at a time
	b = bytes.Repeat(b, max(1, enough/max(1, len(b))))
	for ok := t.flush(); ok; {
		ok = t.wire.drip(b, 0)
	}
	return false
}

func (t *talk) awaitByte(step) bool {
	t.flush()
	_, err := t.in.ReadByte()
	return err == nil
}

// readMessage reads until the line with a dot; the transaction is over then.
func (t *talk) readMessage(step) bool {
	t.mailing = false
	for {
		if line, ok := t.readLine(); !ok || line == "." {
			return ok
		}
	}
}

func (t *talk) hang(step) bool {
	t.flush()
	t.wire.hang()
	return false
}

func (t *talk) reset(step) bool {
	t.flush()
	t.wire.reset()
	return false
}
