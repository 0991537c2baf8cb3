package main

import (
	"context"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
)

// Marks begin the "address" of a row about which nobody is asked. What was read of a row is UTF-8, so that nothing in a list looks like them.
const (
	unreadableMark = "\xffunreadable:" // the row cannot be read; the reason follows
	severalMark    = "\xffseveral:"    // its cell has several addresses, and follows
	emptyMark      = "\xffempty:"      // its cell has none, and follows
)

// rowVerifier is the engine for rows. Those that cannot be read, or do not hold one address, have their answer too, and nobody is asked about them.
type rowVerifier struct{ below bulk.GroupVerifier }

// Verify verifies an address.
func (v rowVerifier) Verify(ctx context.Context, email string) (engine.Result, error) {
	if result, found := unasked(email); found {
		return result, nil
	}
	return v.below.Verify(ctx, email)
}

// VerifyTogether verifies addresses of one domain.
func (v rowVerifier) VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error)) {
	var readable []string
	var places []int
	for i, email := range addresses {
		if result, found := unasked(email); found {
			done(i, result, nil)
			continue
		}
		readable, places = append(readable, email), append(places, i)
	}
	v.below.VerifyTogether(ctx, readable, func(i int, result engine.Result, err error) { done(places[i], result, err) })
}

// unasked returns the result of a row about which nobody is asked.
func unasked(row string) (result engine.Result, found bool) {
	if result, is := knownResult(row); is {
		return result, true
	}
	if reason, is := strings.CutPrefix(row, unreadableMark); is {
		return unanswerable(question{err: errorText(reason)}), true
	}
	if cell, is := strings.CutPrefix(row, severalMark); is {
		return engine.NotOne(address.CleanSeveral, cell), true
	}
	if cell, is := strings.CutPrefix(row, emptyMark); is {
		return engine.NotOne(address.CleanEmpty, cell), true
	}
	return engine.Result{}, false
}

type errorText string

func (e errorText) Error() string { return string(e) }
