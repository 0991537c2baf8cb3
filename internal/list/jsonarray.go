package list

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// arrayKind is the [kind] of JSON that is no JSON lines: an array, or values of
// several lines.
type arrayKind struct{ jsonKind }

func (arrayKind) recognise(b *beginning) bool {
	lines := b.rows(0)
	return b.hasArray() || len(lines) > 0 && strings.TrimSpace(lines[0]) == "{"
}

// hasArray reports whether a text is a JSON array, or has the list in one.
func (b *beginning) hasArray() bool {
	path, err := b.within()
	return beginsArray(b.text) || len(path) > 0 || err != nil
}

// beginsArray reports whether a text is a JSON array. "[" may also begin an
// address in brackets.
func beginsArray(text []byte) bool {
	inner, found := bytes.CutPrefix(bytes.TrimSpace(text), []byte("["))
	if inner = bytes.TrimSpace(inner); !found {
		return false
	}
	return len(inner) == 0 || strings.IndexByte(`{"]`, inner[0]) >= 0
}

// isJSON reports whether a text begins with a line or more that are one object
// or array.
func (b *beginning) isJSON() bool {
	text := bytes.TrimSpace(b.text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return errors.Is(err, io.ErrUnexpectedEOF) && !b.whole
	}
	behind, _, _ := bytes.Cut(text[decoder.InputOffset():], []byte("\n"))
	return len(bytes.TrimSpace(behind)) == 0
}

// describe describes the values as JSON lines.
func (k arrayKind) describe(b *beginning, d *Description) (err error) {
	if d.Within, err = b.within(); err != nil {
		return err
	}
	d.Array = beginsArray(b.text) || len(d.Within) > 0
	field := addressField
	if len(b.Options.Columns) > 0 {
		field = b.Options.Columns[0]
	}
	values := newJSONValues(bytes.NewReader(b.text), d, field)
	text, err := io.ReadAll(values)
	if values.malformed && (b.whole || !errors.Is(err, io.ErrUnexpectedEOF)) {
		return formatError("%v", err)
	}
	return k.jsonKind.describe(&beginning{b.Options, text, b.whole, b.cellText}, d)
}

// convert turns the values into JSON lines, one for each. A string becomes an
// object with the string in the field that is read.
func (arrayKind) convert(text *bufio.Reader, d *Description) io.Reader {
	return newJSONValues(text, d, d.Read[0].Name)
}

func newJSONValues(r io.Reader, d *Description, field string) *jsonValues {
	limit := &allowance{below: r}
	return &jsonValues{limit: limit, decoder: json.NewDecoder(limit), array: d.Array, path: d.Within, field: field}
}

// jsonValues reads JSON values as lines, one for each.
type jsonValues struct {
	limit     *allowance
	decoder   *json.Decoder
	array     bool
	path      []string // of the array, in objects
	depth     int      // of the objects and arrays of the path that are open
	field     string
	number    int    // of the values read
	line      []byte // rest of the last
	err       error
	malformed bool // err concerns the contents
}

// Read reads the lines.
func (v *jsonValues) Read(p []byte) (int, error) {
	for len(v.line) == 0 {
		if v.err == nil {
			v.err = v.next()
		}
		if v.err != nil {
			return 0, v.err
		}
	}
	n := copy(p, v.line)
	v.line = v.line[n:]
	return n, nil
}

// next reads a value. It returns [io.EOF] after the last.
func (v *jsonValues) next() error {
	v.limit.left = 2 * MaxRow // the decoder reads ahead
	switch {
	case len(v.path) > 0:
		if err := v.nextWithin(); err != nil {
			return err
		}
	case v.array && v.number == 0:
		if _, err := v.decoder.Token(); err != nil {
			return err
		}
	}
	if v.array && !v.decoder.More() {
		return v.end()
	}
	v.number++
	var value json.RawMessage
	if err := v.decoder.Decode(&value); err != nil {
		if !v.array && errors.Is(err, io.EOF) {
			return io.EOF
		}
		return v.broken(err)
	}
	var line bytes.Buffer
	if value[0] == '"' {
		line.WriteByte('{')
		line.Write(appendString(nil, v.field))
		line.WriteByte(':')
		line.Write(value)
		line.WriteByte('}')
	} else if bytes.ContainsAny(value, "\r\n") {
		if err := json.Compact(&line, value); err != nil {
			return v.broken(err)
		}
	} else {
		line.Write(value)
	}
	line.WriteByte('\n')
	v.line = line.Bytes()
	return nil
}

// end reads the end of the array. Nothing may follow it.
func (v *jsonValues) end() error {
	if _, err := v.decoder.Token(); err != nil {
		return v.broken(err)
	}
	if _, err := v.decoder.Token(); !errors.Is(err, io.EOF) {
		v.malformed = true
		return fmt.Errorf("element %d: there is text after the JSON array", v.number)
	}
	return io.EOF
}

func (v *jsonValues) broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	var syntax *json.SyntaxError
	v.malformed = errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax)
	return fmt.Errorf("element %d: not JSON: %w", v.number, err)
}

// allowance bounds how much is read for a value.
type allowance struct {
	below io.Reader
	left  int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("it is longer than %d octets", MaxRow)
	}
	n, err := a.below.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}
