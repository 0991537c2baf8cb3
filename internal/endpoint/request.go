package endpoint

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/given"
)

// question is an address that a client asks about.
type question struct {
	given   string
	address string // what is verified
}

// options say how to verify.
type options struct {
	details    bool
	transcript bool          // within the details
	fresh      bool          // no remembered result
	clean      bool          // verify the address that the text contains
	timeout    time.Duration // zero: the server's
}

// The names of options, as parameters of the query and as members of a body.
const (
	detailsOption    = "details"
	transcriptOption = "transcript"
	freshOption      = "fresh"
	cleanOption      = "clean"
	timeoutOption    = "timeout"
)

// optionNames are in the order in which they are read. A transcript is a part
// of the details, so that it comes after them.
var optionNames = []string{detailsOption, transcriptOption, freshOption, cleanOption, timeoutOption}

// set reads the text of an option. The error is a [exchange.Fault].
func (o *options) set(name, text string) (err error) {
	switch name {
	case detailsOption:
		o.details, err = exchange.ReadSwitch(name, text)
	case transcriptOption:
		o.transcript, err = exchange.ReadSwitch(name, text)
		o.details = o.details || o.transcript
	case freshOption:
		o.fresh, err = exchange.ReadSwitch(name, text)
	case cleanOption:
		o.clean, err = exchange.ReadSwitch(name, text)
	case timeoutOption:
		o.timeout, err = parseTimeout(text)
	}
	return err
}

// readOptions reads the options of a query; parameters that it does not know
// are ignored. Errors are [exchange.Fault].
func readOptions(q *exchange.Query, details bool) (o options, err error) {
	if q.Err != nil {
		return o, q.Err
	}
	o.details = details
	for _, name := range optionNames {
		text, given, err := q.One(name)
		if err == nil && given {
			err = o.set(name, text)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// readQuestion reads the query of a verification. Errors are [exchange.Fault].
func readQuestion(q *exchange.Query, details bool) (asked question, o options, err error) {
	if o, err = readOptions(q, details); err != nil {
		return asked, o, err
	}
	given, _, err := q.One("email")
	switch {
	case err != nil:
		return asked, o, err
	case given == "":
		return asked, o, exchange.BadRequest(exchange.MissingParameter,
			`The parameter "email" is missing: the address to verify, percent-encoded.`)
	}
	asked, err = newQuestion(given, o.clean)
	return asked, o, err
}

// newQuestion returns a question about the text without the blanks and the
// invisible characters around it or, with clean, about the address that it
// contains. The error is a [exchange.Fault].
func newQuestion(given string, clean bool) (question, error) {
	if trimmed := address.Trim(given); !clean && trimmed != "" {
		return question{given, trimmed}, nil
	}
	switch cleaned := address.Clean(given); {
	case cleaned.Several:
		return question{}, exchange.BadRequest(exchange.SeveralAddresses,
			"The text contains several addresses: send each one separately.")
	case cleaned.Address != "":
		return question{given, cleaned.Address}, nil
	}
	return question{}, NoAddress()
}

// NoAddress is the [exchange.Fault] of a text without an address.
func NoAddress() error {
	return exchange.BadRequest(exchange.NoAddress, "The text contains no address.")
}

// answered adds the given text to a result and, if that is not an address, the
// address that was probably meant.
func (q question) answered(r rcpt.Result) rcpt.Result {
	r = given.With(r, q.given)
	if r.Reason != rcpt.ReasonInvalidSyntax || r.Suggestion != "" {
		return r
	}
	if meant := address.Clean(q.address); meant.Address != "" && meant.Address != q.address {
		r.Suggestion = meant.Address
	}
	return r
}

// shown returns the part of a result that the client gets.
func (o options) shown(r rcpt.Result) rcpt.Result {
	if !o.details {
		return r.WithoutDetails()
	}
	if r.Details == nil { // the Verifier has none; the reason is in them
		r.Details = &rcpt.Details{}
	}
	if r.CheckedAt.IsZero() { // from which the wait counts
		r.CheckedAt = time.Now().UTC().Truncate(time.Millisecond)
	}
	if !o.transcript && r.Details.Transcript != nil {
		details := *r.Details
		details.Transcript = nil
		r.Details = &details
	}
	return r
}

// parseTimeout reads seconds or, from 1,000 on, milliseconds, which other
// services of this shape take.
func parseTimeout(text string) (time.Duration, error) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number >= minTimeout.Seconds()) || math.IsInf(number, 0) {
		return 0, exchange.BadRequest(exchange.InvalidParameter,
			`The parameter "timeout" must be a number of seconds, at least %v.`,
			minTimeout.Seconds())
	}
	if number < milliseconds {
		return time.Duration(number * float64(time.Second)), nil
	}
	return time.Duration(min(number, math.MaxInt32) * float64(time.Millisecond)), nil
}

// plainText returns a number or boolean of JSON as the text of a parameter; ok
// is false for anything else.
func plainText(value json.RawMessage) (text string, ok bool) {
	text = string(value)
	return text, text == "true" || text == "false" || text[0] == '-' || '0' <= text[0] && text[0] <= '9'
}
