package client_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/server/client"
)

// TestRoundTrip checks that what a client read can be written as the service
// writes it, and read again.
func TestRoundTrip(t *testing.T) {
	syntax, err := verifier{}.Verify(t.Context(), "short")
	if err != nil {
		t.Fatal(err)
	}
	plain := full("alice@acme.example")
	plain.Role, plain.AcceptAll, plain.SpamTrap = false, false, false
	plain.Reason = engine.ReasonConnectionTimeout
	plain.Details = &engine.Details{CatchAll: engine.CatchAllUnknown, SMTP: &engine.SMTPAnswer{Phase: "connect"}}
	var filled engine.Result
	testkit.Fill(&filled)
	for name, result := range map[string]engine.Result{
		"every field": filled,
		"everything":  full("alice@acme.example"), "without details": full("alice@acme.example").WithoutDetails(),
		"nothing that can be left out": plain, "impossible syntax": syntax,
	} {
		want, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		var read, again client.Verification
		if err := json.Unmarshal(want, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := json.Marshal(read)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-service +client):\n%s", name, diff)
		}
		if err := json.Unmarshal(got, &again); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(read, again); diff != "" {
			t.Errorf("%s (-read +read again):\n%s", name, diff)
		}
	}
}

// TestUsageRoundTrip is the same for usage, where nil is no limit.
func TestUsageRoundTrip(t *testing.T) {
	quota := int64(10)
	want := client.Usage{
		Month: "2026-11", Used: 3, Quota: &quota,
		Days: []client.Day{{Day: "2026-11-22", Verifications: 3, Results: map[client.Verdict]int64{client.VerdictUnknown: 3}, Reasons: map[string]int64{"blocked": 3}}},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got client.Usage
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
