package bulk_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestActionFor: every reason, alone and with the flags that change what to do.
func TestActionFor(t *testing.T) {
	type on struct{ disposable, role, trap, later bool }
	cases := []struct {
		reasons []rcpt.Reason
		verdict rcpt.Verdict // empty: that of the reason
		on      on
		want    bulk.Action
	}{
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{}, bulk.ActionSend},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{role: true}, bulk.ActionSend},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{disposable: true}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{trap: true}, bulk.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{disposable: true, role: true}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{trap: true}, bulk.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonSpamTrap}, "", on{}, bulk.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonSpamTrap}, "", on{trap: true, later: true}, bulk.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonInvalidSyntax, rcpt.ReasonDomainNotFound, rcpt.ReasonNoMailHost, rcpt.ReasonNullMX, rcpt.ReasonMailboxNotFound, rcpt.ReasonMailboxDisabled,
			rcpt.ReasonMailboxMoved, rcpt.ReasonSMTPUTF8Unsupported,
		}, "", on{}, bulk.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonMailboxNotFound}, "", on{disposable: true, role: true}, bulk.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonMXReservedAddress}, rcpt.VerdictUndeliverable, on{}, bulk.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonDNSTemporary, rcpt.ReasonConnectionFailed, rcpt.ReasonConnectionTimeout, rcpt.ReasonTLSFailed, rcpt.ReasonGreylisted, rcpt.ReasonRateLimited,
			rcpt.ReasonTemporaryFailure, rcpt.ReasonMailboxFull, rcpt.ReasonBlocked, rcpt.ReasonInternalError,
			rcpt.ReasonUnfinished, rcpt.ReasonBusy, rcpt.ReasonClosed, rcpt.ReasonNotYet,
		}, "", on{}, bulk.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonResolverUnreliable, rcpt.ReasonPortBlocked, rcpt.ReasonEgressFailed}, "", on{}, bulk.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonGreylisted}, "", on{disposable: true}, bulk.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonGreylisted}, "", on{trap: true}, bulk.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonMXReservedAddress, rcpt.ReasonNotOurDomain, rcpt.ReasonAmbiguousRefusal, rcpt.ReasonProtocolError, rcpt.ReasonControlInconclusive, rcpt.ReasonLevelReached,
			rcpt.ReasonRestricted, rcpt.ReasonUnsupportedAddress,
		}, "", on{}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonNotAsked}, "", on{}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonAmbiguousRefusal}, "", on{later: true}, bulk.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonSeveralAddresses, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow}, "", on{}, bulk.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonNoAddress}, "", on{}, bulk.ActionNone},
	}
	reached := []rcpt.Reason{}
	for _, c := range cases {
		for _, reason := range c.reasons {
			reached = append(reached, reason)
			r := rcpt.Result{Verdict: c.verdict, Disposable: c.on.disposable, Role: c.on.role, SpamTrap: c.on.trap, Reason: reason, Details: &rcpt.Details{}}
			if r.Verdict == "" {
				r.Verdict = reason.Verdict()
			}
			if c.on.later {
				r.RetryAt = r.CheckedAt.Add(time.Minute)
			}
			if got := bulk.ActionFor(r); got != c.want {
				t.Errorf("%s %s %+v: %s, want %s", r.Verdict, reason, c.on, got, c.want)
			}
		}
	}
	for _, reason := range rcpt.Reasons() {
		if !slices.Contains(reached, reason) {
			t.Errorf("no case has the reason %s: decide what to do with it", reason)
		}
	}
	for verdict, want := range map[rcpt.Verdict]bulk.Action{
		rcpt.VerdictDeliverable: bulk.ActionSend, rcpt.VerdictAcceptAll: bulk.ActionReview, rcpt.VerdictUndeliverable: bulk.ActionRemove, rcpt.VerdictUnknown: bulk.ActionReview,
	} {
		if got := bulk.ActionFor(rcpt.Result{Verdict: verdict}); got != want {
			t.Errorf("%s without details: %s, want %s", verdict, got, want)
		}
	}
}

// TestActionsAreDocumented: the page for users has every reason of an unknown
// result beside what to do about it.
func TestActionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[bulk.Action]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (?:any|`unknown`) \\|(.*)\\| `(\\w+)` \\|.*$").FindAllSubmatch(page, -1) {
		rows[bulk.Action(row[2])] += string(row[1])
	}
	for _, reason := range rcpt.Reasons() {
		if reason.Verdict() != rcpt.VerdictUnknown {
			continue
		}
		want := bulk.ActionFor(rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: reason})
		for action, row := range rows {
			if has := strings.Contains(row, "`"+string(reason)+"`"); has != (action == want) {
				t.Errorf("%s is to %s; in the row of %s: %v", reason, want, action, has)
			}
		}
	}
}

// TestRowGroup: the first address of a row decides which group the row is in,
// but a row is not bad while another of its addresses may be good.
func TestRowGroup(t *testing.T) {
	good, trap := rcpt.Result{Verdict: rcpt.VerdictDeliverable}, rcpt.Result{Verdict: rcpt.VerdictUnknown, SpamTrap: true}
	bad, empty := rcpt.Result{Verdict: rcpt.VerdictUndeliverable}, rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonNoAddress}
	all, later := rcpt.Result{Verdict: rcpt.VerdictAcceptAll}, rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonGreylisted, Details: &rcpt.Details{}}
	for _, c := range []struct {
		results []rcpt.Result
		want    bulk.Group
	}{
		{[]rcpt.Result{good}, bulk.GroupSafe},
		{[]rcpt.Result{bad}, bulk.GroupBad},
		{[]rcpt.Result{empty}, bulk.GroupNone},
		{[]rcpt.Result{good, bad}, bulk.GroupSafe},
		{[]rcpt.Result{later, good}, bulk.GroupRetry},
		{[]rcpt.Result{empty, good}, bulk.GroupSafe},
		{[]rcpt.Result{empty, empty, all}, bulk.GroupRisky},
		{[]rcpt.Result{bad, good}, bulk.GroupRisky},
		{[]rcpt.Result{bad, empty, later}, bulk.GroupRisky},
		{[]rcpt.Result{bad, empty}, bulk.GroupBad},
		{[]rcpt.Result{bad, trap}, bulk.GroupBad},
		{[]rcpt.Result{empty, empty}, bulk.GroupNone},
	} {
		if got := bulk.RowGroup(c.results); got != c.want {
			t.Errorf("%v: %s, want %s", c.results, got, c.want)
		}
	}
}
