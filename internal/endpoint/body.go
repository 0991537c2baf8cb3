package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/exchange"
)

// posted is the content of the body of a POST: one address, or several.
type posted struct {
	options
	questions []question
	several   bool
}

// readPosted reads a body and the options of the query. Every error is a
// [exchange.Fault]. The rest of an invalid body is not read.
func readPosted(x *exchange.Exchange, r *http.Request, details bool) (asked posted, err error) {
	q := x.QueryOf(r)
	if asked.options, err = readOptions(q, details); err != nil {
		x.LeaveBody(r)
		return asked, err
	}
	text, err := exchange.ReadBody(x, r, maxBody)
	if err != nil {
		x.LeaveBody(r)
		return asked, err
	}
	b := body{text: text, query: q, asked: asked}
	err = b.read()
	return b.asked, err
}

// body reads the request's body member by member, so that an error can name the
// place.
type body struct {
	text    []byte
	query   *exchange.Query
	asked   posted
	decoder *json.Decoder
	emails  []located
}

// located is a string of the body and its place in the body.
type located struct {
	text string
	at   int64
	name string // of the member
}

func (b *body) read() error {
	if err := b.check(); err != nil {
		return err
	}
	b.decoder = json.NewDecoder(bytes.NewReader(b.text))
	if start, _ := b.decoder.Token(); start != json.Delim('{') {
		return b.fault(b.start(), `it must be an object, such as {"email":"alice@acme.example"}.`)
	}
	seen := make(map[string]bool)
	for b.decoder.More() {
		token, _ := b.decoder.Token()
		name := token.(string)                             // check has seen to that
		at := b.decoder.InputOffset() - int64(len(name)+2) // as it is written, as a rule
		if seen[name] {
			return b.fault(at, "the member %q is there twice.", name)
		}
		seen[name] = true
		if err := b.member(name, at); err != nil {
			return err
		}
	}
	if seen["email"] == seen["emails"] {
		return b.fault(b.start(), `give either "email", an address, or "emails", an array of addresses.`)
	}
	return b.ask()
}

// check reports whether the body is one JSON text in UTF-8. The decoder would
// replace broken characters.
func (b *body) check() error {
	var value json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(b.text, &value); {
	case errors.As(err, &syntax):
		return b.fault(syntax.Offset-1, "it is no JSON: %s.", syntax.Error())
	case err != nil:
		return b.fault(0, "it is no JSON.")
	case !utf8.Valid(b.text):
		return b.fault(brokenAt(b.text), "it is not UTF-8.")
	}
	return nil
}

func brokenAt(text []byte) int64 {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return int64(at)
		}
		at += size
	}
	return int64(len(text))
}

// member reads the value of the member whose name begins at the given place.
func (b *body) member(name string, at int64) error {
	switch {
	case name == "emails":
		return b.list(at)
	case name != "email" && !slices.Contains(optionNames, name):
		return b.fault(at,
			"there is no member %.40q: use email or emails, details, transcript, fresh, clean and timeout.", name)
	}
	value, at := b.value()
	if name == "email" {
		return b.email(name, value, at)
	}
	if _, given, _ := b.query.One(name); given {
		return b.fault(at, "%q is in the query, too: give it once.", name)
	}
	text, ok := plainText(value)
	if !ok {
		return b.fault(at, "%q must be true or false, or, for a timeout, a number.", name)
	}
	if err := b.asked.set(name, text); err != nil {
		return b.fault(at, "%s", err)
	}
	return nil
}

// value reads the next value and where it begins.
func (b *body) value() (value json.RawMessage, at int64) {
	_ = b.decoder.Decode(&value) // check has seen to that
	return value, b.decoder.InputOffset() - int64(len(value))
}

// list reads the array of addresses.
func (b *body) list(at int64) error {
	b.asked.several = true
	if start, _ := b.decoder.Token(); start != json.Delim('[') {
		return b.fault(at, `"emails" must be an array of addresses.`)
	}
	for b.decoder.More() {
		value, at := b.value()
		if len(b.emails) == maxAddresses {
			return b.faultOf(exchange.TooManyAddresses, at,
				"there are more than %d addresses: send the others in another request.", maxAddresses)
		}
		if err := b.email("emails["+strconv.Itoa(len(b.emails))+"]", value, at); err != nil {
			return err
		}
	}
	if len(b.emails) == 0 {
		return b.faultOf(exchange.NoAddress, at, `"emails" has no address in it.`)
	}
	_, err := b.decoder.Token()
	return err
}

func (b *body) email(name string, value json.RawMessage, at int64) error {
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return b.fault(at, "%s must be a string.", name)
	}
	b.emails = append(b.emails, located{text, at, name})
	return nil
}

// ask makes questions of the addresses, once all options are known.
func (b *body) ask() error {
	for _, e := range b.emails {
		q, err := newQuestion(e.text, b.asked.clean)
		var f *exchange.Fault
		if errors.As(err, &f) {
			return b.faultOf(f.Code, e.at, "%s: %s", e.name, f.Message)
		}
		b.asked.questions = append(b.asked.questions, q)
	}
	return nil
}

// start is where the first value begins.
func (b *body) start() int64 { return int64(len(b.text) - len(bytes.TrimLeft(b.text, " \t\r\n"))) }

func (b *body) fault(at int64, format string, values ...any) error {
	return b.faultOf(exchange.InvalidBody, at, format, values...)
}

// faultOf returns a fault with the place in the body: the line and, in octets,
// the column.
func (b *body) faultOf(code exchange.Code, at int64, format string, values ...any) error {
	before := b.text[:min(max(at, 0), int64(len(b.text)))]
	line, column := 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')
	return exchange.BadRequest(code, "The body, line %d, column %d: %s", line, column, fmt.Sprintf(format, values...))
}
