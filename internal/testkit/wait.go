// Package testkit is what tests of several packages share. Only tests import
// it.
package testkit

import (
	"testing"
	"time"
)

const (
	// long is enough for anything on a machine with much else to do.
	long = 5 * time.Minute
	// look is how often one looks whether a condition holds.
	look = 5 * time.Millisecond
)

// Eventually waits for a condition on something that happens in another
// goroutine or process.
func Eventually(t testing.TB, what string, met func() bool) {
	t.Helper()
	Within(t, long, what, met)
}

// Within is Eventually for what has to come about soon.
func Within(t testing.TB, limit time.Duration, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for began := time.Now(); !met(); <-tick.C {
		if time.Since(began) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
