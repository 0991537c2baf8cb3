package smtptest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Script returns a handler that plays the dialogue in text on every connection,
// one step a line:
//
//	S: 220 mx ready                   sends the text and CRLF
//	C: RCPT TO:<*@example.test>       waits for such a line; "*" is any text, the rest is case-sensitive
//	raw: 250 ok\r\n\x00               sends bytes, with the escapes of Go's strings, and no line end of its own
//	drip 2s 220 mx ready              sends the text and CRLF a byte at a time, with a wait after each
//	flood 220-more\r\n                sends bytes, escaped as those of raw, again and again until the client leaves
//	sleep 4s                          waits, unless the client leaves
//	starttls                          makes a TLS handshake
//	hang                              answers nothing more until the client leaves
//	close                             hangs up, over TLS with a close_notify
//	reset                             resets the connection
//	# a remark                        is ignored, as are blank lines
//
// A line that the client sends in place of the expected one is answered 503,
// and noted in [Session].Err; so are expected lines that never came. After the
// last step QUIT is answered. Script panics when text is not a script.
func Script(text string) Handler {
	h, err := parseScript(text)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	return h
}

func parseScript(text string) (Handler, error) {
	var s script
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		st, err := parseStep(line)
		if err != nil {
			return nil, fmt.Errorf("script line %d: %w", i+1, err)
		}
		st.line, st.text = i+1, line
		s = append(s, st)
	}
	return s, nil
}

// script is a dialogue to play.
type script []step

// step is one line of a script; do plays it, and reports whether the next is to
// follow.
type step struct {
	line int
	text string
	do   func(*play, step) bool
}

func parseStep(line string) (step, error) {
	if word, arg, ok := strings.Cut(line, ":"); ok {
		arg = strings.TrimPrefix(arg, " ")
		switch word {
		case "S":
			return sendStep([]byte(arg + "\r\n")), nil
		case "C":
			return expectStep(arg), nil
		case "raw":
			b, err := unescape(arg)
			return sendStep(b), err
		}
	}
	switch word, arg, _ := strings.Cut(line, " "); {
	case word == "sleep":
		d, err := time.ParseDuration(arg)
		return step{do: func(p *play, _ step) bool { return p.wire.sleep(d) }}, err
	case word == "drip":
		wait, text, _ := strings.Cut(arg, " ")
		d, err := time.ParseDuration(wait)
		return step{do: func(p *play, _ step) bool { return p.wire.drip([]byte(text+"\r\n"), d) }}, err
	case word == "flood":
		b, err := unescape(arg)
		return step{do: func(p *play, _ step) bool { return p.flood(b) }}, err
	case line == "starttls":
		return step{do: (*play).startTLS}, nil
	case line == "hang":
		return step{do: (*play).hang}, nil
	case line == "close":
		return step{do: (*play).close}, nil
	case line == "reset":
		return step{do: (*play).reset}, nil
	}
	return step{}, fmt.Errorf("unknown step %q", line)
}

func sendStep(b []byte) step {
	return step{do: func(p *play, _ step) bool { return p.send(b) }}
}

func expectStep(pattern string) step {
	re := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `$`)
	return step{do: func(p *play, s step) bool { return p.expect(re, s) }}
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
