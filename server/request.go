package server

import (
	"fmt"
	"math"
	"strconv"
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

// readRequest reads the query of a verification. Every error is a [badRequest]; parameters that it does not know are ignored.
func readRequest(q *query, details bool) (asked request, err error) {
	if q.err != nil {
		return asked, q.err
	}
	asked.details = details
	if asked.email, _, err = q.one("email"); err != nil {
		return asked, err
	}
	if asked.email == "" {
		return asked, badRequest(`The parameter "email" is missing: the address to verify, percent-encoded.`)
	}
	if err := readSwitch(q, "details", &asked.details); err != nil {
		return asked, err
	}
	if err := readSwitch(q, "fresh", &asked.fresh); err != nil {
		return asked, err
	}
	text, given, err := q.one("timeout")
	if given {
		asked.timeout, err = readTimeoutSeconds(text)
	}
	return asked, err
}

// readSwitch reads a parameter that is 1 or 0, where it is given.
func readSwitch(q *query, name string, on *bool) error {
	value, given, err := q.one(name)
	if !given {
		return err
	}
	switch value {
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
