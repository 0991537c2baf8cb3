package verdictcache

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestStoredHasEveryField: the store has all of a result but what reveals the
// address, and the lines of the session.
func TestStoredHasEveryField(t *testing.T) {
	m, ok := read("ada@acme.example")
	if !ok {
		t.Fatal("no mailbox")
	}
	var want rcpt.Result
	testkit.Fill(&want)
	want.Email, want.Local, want.Domain = m.given, m.parts.Local(), m.parts.Domain()
	want.Suggestion, want.Details.Canonical = "ada@example.com", "ada@acme.example"
	want.Details.Matches[0].Entry = m.parts.Domain()
	stored := newStoredResult(m, want, "fingerprint")
	if text, err := json.Marshal(stored); err != nil || bytes.Contains(text, []byte("ada")) {
		t.Errorf("it reveals the address: %s, %v", text, err)
	}
	got, _ := stored.result(m)
	want.Details.Transcript = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-result +stored:\n%s", diff)
	}
}
