package client_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/server/client"
)

// TestUsageRoundTrip checks that usage that a client read can be written as the
// service writes it, and read again. Nil is no limit.
func TestUsageRoundTrip(t *testing.T) {
	quota := int64(10)
	want := client.Usage{
		Month: "2026-11", Used: 3, Quota: &quota,
		Days: []client.Day{{Day: "2026-11-22", Verifications: 3, Results: map[rcpt.Verdict]int64{rcpt.VerdictUnknown: 3}, Reasons: map[rcpt.Reason]int64{"blocked": 3}}},
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
