package server

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// request is the question of a query.
type request struct {
	email   string
	details bool
	fresh   bool          // no remembered result
	timeout time.Duration // zero: as long as usual
}

// badRequest is an error that tells the client, in a sentence, what to do better.
type badRequest string

func (b badRequest) Error() string { return string(b) }

// query is the parameters of a request. They are of use after an error too, as far as they go.
type query struct {
	values url.Values
	err    error
}

// queryOf reads the query of r, once. Every error is a [badRequest].
func queryOf(r *http.Request) query {
	seen, ok := r.Context().Value(observationKey{}).(*observation)
	if !ok {
		return readQuery(r.URL.RawQuery)
	}
	if seen.query == nil {
		q := readQuery(r.URL.RawQuery)
		seen.query = &q
	}
	return *seen.query
}

func readQuery(raw string) query {
	values, err := url.ParseQuery(literalPlus(raw))
	switch {
	case len(raw) > maxQuery:
		return query{values, badRequest(fmt.Sprintf("The query is longer than %d octets.", maxQuery))}
	case err != nil:
		return query{values, badRequest("The query is not well-formed: percent-encode the values of its parameters.")}
	}
	return query{values: values}
}

// readRequest reads the query of a verification. Every error is a [badRequest]; parameters that it does not know are ignored.
func readRequest(q query, details bool) (request, error) {
	if q.err != nil {
		return request{}, q.err
	}
	query := q.values
	for _, name := range []string{"email", "details", "fresh", "timeout"} {
		if len(query[name]) > 1 {
			return request{}, badRequest(fmt.Sprintf("The parameter %q is given more than once.", name))
		}
	}
	asked := request{email: query.Get("email"), details: details}
	if asked.email == "" {
		return request{}, badRequest(`The parameter "email" is missing: the address to verify, percent-encoded.`)
	}
	if err := readSwitch(query, "details", &asked.details); err != nil {
		return request{}, err
	}
	if err := readSwitch(query, "fresh", &asked.fresh); err != nil {
		return request{}, err
	}
	var err error
	if query.Has("timeout") {
		asked.timeout, err = readTimeoutSeconds(query.Get("timeout"))
	}
	return asked, err
}

// readSwitch reads a parameter that is 1 or 0, where it is given.
func readSwitch(query url.Values, name string, on *bool) error {
	if !query.Has(name) {
		return nil
	}
	switch query.Get(name) {
	case "1":
		*on = true
	case "0":
		*on = false
	default:
		return badRequest(fmt.Sprintf("The parameter %q must be 1 or 0.", name))
	}
	return nil
}

func readTimeoutSeconds(text string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= minTimeout.Seconds()) || math.IsInf(seconds, 0) {
		return 0, badRequest(fmt.Sprintf(`The parameter "timeout" must be a number of seconds, at least %v.`, minTimeout.Seconds()))
	}
	seconds = min(seconds, math.MaxInt32)
	return time.Duration(seconds * float64(time.Second)), nil
}

// literalPlus keeps the plus signs of an address that was put into the query as it is. HTML forms and their encoders write a space as
// "+", but they write "@" as "%40" too: where there is a bare "@", RFC 3986 alone was followed, by which "+" is a plus sign.
func literalPlus(rawQuery string) string {
	if !strings.Contains(rawQuery, "+") {
		return rawQuery
	}
	pairs := strings.Split(rawQuery, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if name == "email" && strings.Contains(value, "@") {
			pairs[i] = name + "=" + strings.ReplaceAll(value, "+", "%2B")
		}
	}
	return strings.Join(pairs, "&")
}
