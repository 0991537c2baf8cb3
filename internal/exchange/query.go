package exchange

import (
	"errors"
	"net/url"
	"strings"
)

// maxQuery bounds the query: a path has at most 256 octets (RFC 5321
// §4.5.3.1.3), each three when percent-encoded; the rest is for wrong
// addresses, which deserve their answer too.
const maxQuery = 8 << 10

// usualParameters is the number of parameters that most queries do not exceed.
const usualParameters = 4

// Query is the parameters of a request, in order. After an error it has those
// before the error.
type Query struct {
	parameters []parameter // in room, while there is some
	room       [usualParameters]parameter
	Err        error // a [Fault]
}

type parameter struct{ name, value string }

// readQuery parses like [url.ParseQuery], except for plus signs in an address:
// see [readAddress].
func readQuery(raw string) *Query {
	q := new(Query)
	q.parameters = q.room[:0]
	for rest := raw; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		if pair == "" {
			continue
		}
		p, err := readParameter(pair)
		switch {
		case errors.Is(err, errPlus):
			q.Err = BadRequest(InvalidQuery,
				`The parameter "email" begins with "+", which is a blank or a part of the address: write %%20 or %%2B.`)
		case err != nil:
			q.Err = BadRequest(InvalidQuery,
				"The query is not well-formed: percent-encode the values of its parameters.")
		default:
			q.parameters = append(q.parameters, p)
		}
	}
	if len(raw) > maxQuery {
		q.Err = BadRequest(InvalidQuery, "The query is longer than %d octets.", maxQuery)
	}
	return q
}

// errSemicolon reports a semicolon, which some programs take for the end of a
// parameter and others for a part of it.
var errSemicolon = errors.New("a semicolon is not a separator")

func readParameter(pair string) (p parameter, err error) {
	if strings.Contains(pair, ";") {
		return p, errSemicolon
	}
	name, value, _ := strings.Cut(pair, "=")
	decode := url.QueryUnescape
	if name == "email" {
		decode = readAddress
	}
	if p.name, err = url.QueryUnescape(name); err != nil {
		return p, err
	}
	p.value, err = decode(value)
	return p, err
}

// Find returns the first value of a parameter, and how many there are.
func (q *Query) Find(name string) (value string, times int) {
	for _, p := range q.parameters {
		if p.name != name {
			continue
		}
		if times == 0 {
			value = p.value
		}
		times++
	}
	return value, times
}

// One returns the value of a parameter. Giving the same value again is no
// error; giving another one is a [Fault].
func (q *Query) One(name string) (value string, given bool, err error) {
	value, times := q.Find(name)
	if times > 1 {
		for _, p := range q.parameters {
			if p.name == name && p.value != value {
				return "", false, BadRequest(InvalidParameter, "The parameter %q is given with two values.", name)
			}
		}
	}
	return value, times > 0, nil
}

// All returns all values of a parameter, which may be repeated.
func (q *Query) All(name string) (all []string) {
	for _, p := range q.parameters {
		if p.name == name {
			all = append(all, p.value)
		}
	}
	return all
}

// keys returns the keys in a query. An empty one is none.
func (q *Query) keys() (given []string) {
	for _, p := range q.parameters {
		if (p.name == keyParameter || p.name == keyAlias) && p.value != "" {
			given = append(given, p.value)
		}
	}
	return given
}

// Values returns all values of a parameter, which may be repeated or have
// commas.
func (q *Query) Values(name string) (all []string) {
	for _, value := range q.All(name) {
		all = append(all, strings.Split(value, ",")...)
	}
	return all
}

// ReadSwitch reads a parameter that is on or off. The error is a [Fault].
func ReadSwitch(name, text string) (bool, error) {
	switch text {
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}
	return false, BadRequest(InvalidParameter, "The parameter %q must be 1 or 0.", name)
}
