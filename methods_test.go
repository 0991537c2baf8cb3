package rcpt_test

import (
	"testing"

	"github.com/rcpt/rcpt"
)

// TestStatesWithoutDetails: what is known of a domain's mail hosts and of its
// catch-all, of results with and without details.
func TestStatesWithoutDetails(t *testing.T) {
	hosts := []rcpt.MX{{Host: "mx.example", Preference: 10}}
	for _, tt := range []struct {
		name       string
		result     rcpt.Result
		has, known bool
		catchAll   rcpt.CatchAllState
		exchangers int
	}{
		{"nothing", rcpt.Result{}, false, false, rcpt.CatchAllUnknown, 0},
		{"accepts everything", rcpt.Result{AcceptAll: true, Reason: rcpt.ReasonCatchAll}, true, true, rcpt.CatchAllYes, 0},
		{"accepts everything, other details", rcpt.Result{AcceptAll: true, Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown}}, false, false, rcpt.CatchAllYes, 0},
		{"refuses", rcpt.Result{Reason: rcpt.ReasonMailboxNotFound, Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo, MX: hosts}}, true, true, rcpt.CatchAllNo, 1},
		{"details without a state", rcpt.Result{Reason: rcpt.ReasonLevelReached, Details: &rcpt.Details{MX: hosts}}, true, true, rcpt.CatchAllUnknown, 1},
		{"no mail host", rcpt.Result{Reason: rcpt.ReasonNoMailHost}, false, true, rcpt.CatchAllUnknown, 0},
		{"null MX", rcpt.Result{Reason: rcpt.ReasonNullMX, Details: &rcpt.Details{}}, false, true, rcpt.CatchAllUnknown, 0},
		{"an MX that leads nowhere", rcpt.Result{Reason: rcpt.ReasonNoMailHost, Details: &rcpt.Details{MX: hosts}}, false, true, rcpt.CatchAllUnknown, 1},
		{"no domain", rcpt.Result{Reason: rcpt.ReasonDomainNotFound}, false, true, rcpt.CatchAllUnknown, 0},
		{"an outage of the DNS", rcpt.Result{Reason: rcpt.ReasonDNSTemporary, Details: &rcpt.Details{}}, false, false, rcpt.CatchAllUnknown, 0},
		{"our resolver", rcpt.Result{Reason: rcpt.ReasonResolverUnreliable}, false, false, rcpt.CatchAllUnknown, 0},
		{"unfinished", rcpt.Result{Reason: rcpt.ReasonUnfinished}, false, false, rcpt.CatchAllUnknown, 0},
		{"a host that was asked", rcpt.Result{Reason: rcpt.ReasonGreylisted}, true, true, rcpt.CatchAllUnknown, 0},
	} {
		if has, known := tt.result.HasMX(); has != tt.has || known != tt.known {
			t.Errorf("%s: has %v, known %v", tt.name, has, known)
		}
		if got := tt.result.CatchAll(); got != tt.catchAll {
			t.Errorf("%s: catch-all %s", tt.name, got)
		}
		if got := len(tt.result.Exchangers()); got != tt.exchangers {
			t.Errorf("%s: %d exchangers", tt.name, got)
		}
	}
}
