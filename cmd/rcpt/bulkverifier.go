package main

import (
	"context"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// unreadableMark begins the "address" of a row that has none because it cannot be read; the reason follows. What was read of a row is UTF-8, so
// that nothing in a list looks like it.
const unreadableMark = "\xff"

func unreadable(err error) string { return unreadableMark + err.Error() }

// rowVerifier is the engine for rows, those included that cannot be read: they have their answer too, and nobody is asked about them.
type rowVerifier struct{ below bulk.GroupVerifier }

// Verify verifies an address.
func (v rowVerifier) Verify(ctx context.Context, address string) (engine.Result, error) {
	if result, found := v.unreadable(address); found {
		return result, nil
	}
	return v.below.Verify(ctx, address)
}

// VerifyTogether verifies addresses of one domain.
func (v rowVerifier) VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error)) {
	var readable []string
	var places []int
	for i, address := range addresses {
		if result, found := v.unreadable(address); found {
			done(i, result, nil)
			continue
		}
		readable, places = append(readable, address), append(places, i)
	}
	v.below.VerifyTogether(ctx, readable, func(i int, result engine.Result, err error) { done(places[i], result, err) })
}

func (v rowVerifier) unreadable(address string) (engine.Result, bool) {
	reason, found := strings.CutPrefix(address, unreadableMark)
	if !found {
		return engine.Result{}, false
	}
	return unanswerable(question{err: errorText(reason)}), true
}

type errorText string

func (e errorText) Error() string { return string(e) }
