package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxValue bounds a value of a list in JSON and the blanks before it, which the
// decoder has in memory as a whole: as much as a row may have.
const maxValue = 1 << 20

// jsonList reads a list in JSON value by value.
type jsonList struct {
	*json.Decoder
	from        io.Reader
	read, until int64 // octets that were read, and that may be read
	tooLong     bool
}

func newJSONList(from io.Reader) *jsonList {
	l := &jsonList{from: from}
	l.Decoder = json.NewDecoder(l)
	return l
}

// Read is for the decoder.
func (l *jsonList) Read(p []byte) (int, error) {
	if l.tooLong = l.read >= l.until; l.tooLong {
		return 0, errors.New("too long")
	}
	n, err := l.from.Read(p[:min(int64(len(p)), l.until-l.read)])
	l.read += int64(n)
	return n, err
}

// next lets the decoder read one value further.
func (l *jsonList) next() *json.Decoder {
	l.until = l.InputOffset() + maxValue
	return l.Decoder
}

// readAddresses reads {"emails":[…],"name":…,"webhook":…,"webhook_progress":…}.
// Every error but those of add is a *[BodyError].
func readAddresses(decoder *jsonList, l *List, add func(json.RawMessage) error) error {
	invalid := func(format string, values ...any) error {
		if decoder.tooLong {
			format, values = "a value, or the blanks before it, has more than %d octets.", []any{maxValue}
		}
		return &BodyError{fmt.Sprintf("The body, octet %d: %s", decoder.InputOffset(), fmt.Sprintf(format, values...))}
	}
	if start, err := decoder.next().Token(); err != nil || start != json.Delim('{') {
		return invalid(`it must be an object, such as {"emails":["alice@acme.example"]}.`)
	}
	seen := make(map[string]bool)
	for decoder.next().More() {
		token, err := decoder.next().Token()
		name, _ := token.(string)
		if err != nil {
			return invalid("it is no JSON.")
		}
		if seen[name] {
			return invalid("the member %.40q is there twice.", name)
		}
		seen[name] = true
		switch {
		case name == "name", name == "webhook":
			var text *string
			if err := decoder.next().Decode(&text); err != nil {
				return invalid("%q must be a string.", name)
			}
			if text != nil {
				l.Fields.Set(name, *text)
			}
		case name == "webhook_progress":
			var progress bool
			if err := decoder.next().Decode(&progress); err != nil {
				return invalid("%q must be true or false.", name)
			}
			l.Fields.Set(name, strconv.FormatBool(progress))
		case name != "emails":
			return invalid("there is no member %.40q: use emails, name, webhook and webhook_progress.", name)
		default:
			if err := readEmails(decoder, invalid, add); err != nil {
				return err
			}
		}
	}
	if _, err := decoder.next().Token(); err != nil {
		return invalid("it is no JSON, or not complete.")
	}
	if _, err := decoder.next().Token(); err != io.EOF {
		return invalid("there is text after the object.")
	}
	if !seen["emails"] {
		return invalid(`"emails" is missing: an array of addresses.`)
	}
	return nil
}

// readEmails reads the array: an element is an address, or an object with one
// and with other columns of the list.
func readEmails(decoder *jsonList, invalid func(string, ...any) error, add func(json.RawMessage) error) error {
	if start, err := decoder.next().Token(); err != nil || start != json.Delim('[') {
		return invalid(`"emails" must be an array of addresses.`)
	}
	for number := 0; decoder.next().More(); number++ {
		var email json.RawMessage
		if err := decoder.next().Decode(&email); err != nil || email[0] != '"' && email[0] != '{' {
			return invalid(`emails[%d] must be a string, or an object with a string "email".`, number)
		}
		if !utf8.Valid(email) {
			return invalid("emails[%d] is not UTF-8.", number)
		}
		if err := add(email); err != nil {
			return err
		}
	}
	if _, err := decoder.next().Token(); err != nil {
		return invalid("it is no JSON, or not complete.")
	}
	return nil
}
