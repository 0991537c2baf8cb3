package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// maxLine bounds a line of standard input: a path has at most 256 octets (RFC 5321 §4.5.3.1.3), and the rest leaves room for other
// fields of a JSON object. What goes beyond is not kept.
const maxLine = 64 << 10

// maxEcho bounds what is shown of a line that holds no address.
const maxEcho = 256

// question is an address to verify, or why a line holds none; the address is then the beginning of the line.
type question struct {
	address string
	err     error
}

func arguments(addresses []string) iter.Seq[question] {
	return func(yield func(question) bool) {
		for address := range slices.Values(addresses) {
			if !yield(question{address: address}) {
				return
			}
		}
	}
}

// lines reads one address or JSON object per line of r. Blanks around it are left out. An empty line is a question too, so that answers stay
// in step with the lines of a file.
func lines(r io.Reader) iter.Seq[question] {
	return func(yield func(question) bool) {
		reader := bufio.NewReader(r)
		for number := 1; ; number++ {
			text, whole, err := readLine(reader)
			if number == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(question{err: fmt.Errorf("cannot read line %d: %w", number, err)})
				return
			}
			text = strings.TrimSpace(text)
			atEnd := err != nil
			if atEnd && text == "" {
				return
			}
			if !yield(readQuestion(text, whole, number)) || atEnd {
				return
			}
		}
	}
}

// readLine reads up to the next line feed and returns at most [maxLine] octets, and whether they are all there were. The error is that
// of the reader, after which nothing follows.
func readLine(r *bufio.Reader) (text string, whole bool, err error) {
	var line []byte
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room {
			part, whole = part[:room], false
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSuffix(string(line), "\n"), whole, err
		}
	}
}

// readQuestion reads an address, or the "email" of a JSON object. A cut-off address needs no error: it is too long for a mailbox anyway.
func readQuestion(text string, whole bool, number int) question {
	if !isObject(text) {
		return question{address: text}
	}
	address, err := emailOf(text)
	switch {
	case !whole:
		return question{echo(text), fmt.Errorf("line %d is longer than %d octets", number, maxLine)}
	case err != nil:
		return question{echo(text), fmt.Errorf("line %d: %w", number, err)}
	}
	return question{address: address}
}

// isObject tells a JSON object, broken ones included, from an address: "{" may begin an address, but not before a quote, and no address
// ends with "}".
func isObject(text string) bool {
	inner, found := strings.CutPrefix(text, "{")
	return found && (strings.HasSuffix(text, "}") || strings.HasPrefix(strings.TrimLeft(inner, " \t"), `"`))
}

func emailOf(object string) (string, error) {
	var fields struct {
		Email givenValue `json:"email"`
	}
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		return "", fmt.Errorf("not a JSON object: %w", err)
	}
	address, ok := fields.Email.value.(string)
	switch {
	case fields.Email.times > 1:
		return "", errors.New(`the JSON object has more than one "email"`) // programs differ on which of them counts
	case !ok:
		return "", errors.New(`the JSON object has no string "email"`)
	}
	return address, nil
}

// givenValue is a value of JSON, and how many times it was given.
type givenValue struct {
	value any
	times int
}

// UnmarshalJSON takes one more value.
func (g *givenValue) UnmarshalJSON(text []byte) error {
	g.times++
	return json.Unmarshal(text, &g.value)
}

// echo is the beginning of text, fit to be shown.
func echo(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxEcho)], "\uFFFD")
}
