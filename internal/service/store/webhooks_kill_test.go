//go:build unix

package store

import (
	"testing"
	"time"
)

// TestWebhookOfKilledProcess: what an embedded store's process was sending when
// it was killed is claimed by the next one at once, but not by a command beside
// it.
func TestWebhookOfKilledProcess(t *testing.T) {
	o := sqliteEngine.empty(t)
	claim := func(s *Store) int {
		t.Helper()
		claimed, err := s.ClaimWebhooks(t.Context(), 10, 10, 10, time.Hour)
		check(t, err)
		return len(claimed)
	}
	first := open(t, o)
	_, err := first.AddWebhook(t.Context(), ByCommand("test"), someWebhook("fixed"))
	check(t, err)
	if claim(first) != 1 {
		t.Fatal("it is not claimed")
	}
	beside := o
	beside.Beside = true
	if claim(open(t, beside)) != 0 {
		t.Error("a command has taken over what a server is sending")
	}
	check(t, first.Close()) // a lease is left as by a kill
	if claim(open(t, o)) != 1 {
		t.Error("it waits for the end of the lease")
	}
}
