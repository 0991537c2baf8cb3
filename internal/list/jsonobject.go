package list

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// member is a field of a JSON object with its value as it was written.
type member struct {
	key   string
	value json.RawMessage
	end   int // end of the value, in the object
}

// cell is the value as a CSV cell: a string without its quotes, nothing for
// null, other values as JSON.
func (m member) cell() string {
	var text string
	if err := json.Unmarshal(m.value, &text); err != nil {
		return string(m.value)
	}
	return text
}

// parseObject parses a line that is one JSON object.
func parseObject(line string) ([]member, error) {
	decoder := json.NewDecoder(strings.NewReader(strings.TrimSpace(line)))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var members []member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, brokenJSON(err)
		}
		m := member{key: key.(string)} // the decoder allows no other token here
		if err := decoder.Decode(&m.value); err != nil {
			return nil, brokenJSON(err)
		}
		m.end = int(decoder.InputOffset())
		members = append(members, m)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, brokenJSON(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not one JSON object: there is text after it")
	}
	return members, nil
}

func brokenJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("not a JSON object: %w", err)
}

// appendObject writes a JSON object.
func appendObject(out []byte, members []member) []byte {
	separator := byte('{')
	for _, m := range members {
		out = append(out, separator)
		out = appendString(out, m.key)
		out = append(out, ':')
		out = append(out, m.value...)
		separator = ','
	}
	return append(out, '}')
}

// appendString writes a JSON string without escaping <, > and &.
func appendString(out []byte, text string) []byte {
	return append(out, marshal(text)...)
}

// marshal encodes a value that JSON can represent.
func marshal(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("list: a value that JSON cannot hold: %v", err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
