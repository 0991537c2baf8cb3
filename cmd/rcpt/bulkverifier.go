package main

import (
	"context"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// unreadableMark begins the "address" of a row that has none because it cannot be read; the reason follows. What was read of a row is UTF-8, so
// that nothing in a list looks like it.
const unreadableMark = "\xff"

func unreadable(err error) string { return unreadableMark + err.Error() }

// rowVerifier is the engine for rows, those included that cannot be read: they have their answer too, and nobody is asked about them.
type rowVerifier struct{ below verifier }

// Verify verifies an address.
func (v rowVerifier) Verify(ctx context.Context, address string) (engine.Result, error) {
	if reason, found := strings.CutPrefix(address, unreadableMark); found {
		return unanswerable(question{err: errorText(reason)}), nil
	}
	return v.below.Verify(ctx, address)
}

type errorText string

func (e errorText) Error() string { return string(e) }
