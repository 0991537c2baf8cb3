package file

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
)

// maxLine bounds a line: a path has at most 256 octets (RFC 5321 §4.5.3.1.3),
// and the rest leaves room for other fields of a JSON object. The rest of a
// longer line is dropped.
const maxLine = 64 << 10

// maxEcho bounds how much of a line without an address is shown.
const maxEcho = 256

// Line is an address to verify, or with Err the beginning of a line that holds
// none.
type Line struct {
	Address string
	Err     error // why the line has no address
}

// Result is the result of a line without an address.
func (l Line) Result() rcpt.Result {
	result, _ := list.Unreadable.Result(l.Err.Error())
	result.Email = l.Address
	return result
}

// Lines reads an address or a JSON object from each line of r, without the
// blanks around it. It yields empty lines too, so that results can be matched
// with the lines of a file.
func Lines(r io.Reader) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		reader := decoded(bufio.NewReader(r))
		for number := 1; ; number++ {
			text, whole, err := readLine(reader)
			if number == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Line{Err: fmt.Errorf("cannot read line %d: %w", number, err)})
				return
			}
			text = strings.TrimSpace(text)
			atEnd := err != nil
			if atEnd && text == "" {
				return
			}
			if !yield(lineOf(text, whole, number)) || atEnd {
				return
			}
		}
	}
}

// decoded decodes UTF-16 with a byte order mark, which Windows shells write. It
// waits for the first octet only: no UTF-8 text begins with an octet of a mark.
func decoded(r *bufio.Reader) *bufio.Reader {
	if first, _ := r.Peek(1); len(first) == 0 || first[0] != 0xFE && first[0] != 0xFF {
		return r
	}
	if mark, _ := r.Peek(2); string(mark) != "\xFF\xFE" && string(mark) != "\xFE\xFF" {
		return r
	}
	return bufio.NewReader(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r))
}

// readLine reads up to the next line feed. It returns at most [maxLine] octets,
// and whether the line has no more. After an error nothing follows.
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

// lineOf reads an address, or the "email" of a JSON object. An address that is
// not whole needs no error: it is too long for a mailbox anyway.
func lineOf(text string, whole bool, number int) Line {
	if !isObject(text) {
		return Line{Address: text}
	}
	address, err := emailOf(text)
	switch {
	case !whole:
		return Line{echo(text), fmt.Errorf("line %d is longer than %d octets", number, maxLine)}
	case err != nil:
		return Line{echo(text), fmt.Errorf("line %d: %w", number, err)}
	}
	return Line{Address: address}
}

// isObject distinguishes a JSON object, even a broken one, from an address: "{"
// may begin an address, but not before a quote, and no address ends with "}".
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

// echo is the beginning of text as valid UTF-8.
func echo(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxEcho)], "\uFFFD")
}
