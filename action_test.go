package rcpt_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
)

// TestAction: every reason, alone and with the flags that change what to do.
func TestAction(t *testing.T) {
	type on struct{ disposable, role, trap, later bool }
	cases := []struct {
		reasons []rcpt.Reason
		verdict rcpt.Verdict // empty: that of the reason
		on      on
		want    rcpt.Action
	}{
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{}, rcpt.ActionSend},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{role: true}, rcpt.ActionSend},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{disposable: true}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, "", on{trap: true}, rcpt.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{disposable: true, role: true}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonCatchAll}, "", on{trap: true}, rcpt.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonSpamTrap}, "", on{}, rcpt.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonSpamTrap}, "", on{trap: true, later: true}, rcpt.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonInvalidSyntax, rcpt.ReasonDomainNotFound, rcpt.ReasonNoMailHost, rcpt.ReasonNullMX, rcpt.ReasonMailboxNotFound, rcpt.ReasonMailboxDisabled,
			rcpt.ReasonMailboxMoved, rcpt.ReasonSMTPUTF8Unsupported,
		}, "", on{}, rcpt.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonMailboxNotFound}, "", on{disposable: true, role: true}, rcpt.ActionRemove},
		{[]rcpt.Reason{rcpt.ReasonMXReservedAddress}, rcpt.VerdictUndeliverable, on{}, rcpt.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonDNSTemporary, rcpt.ReasonConnectionFailed, rcpt.ReasonConnectionTimeout, rcpt.ReasonTLSFailed, rcpt.ReasonGreylisted, rcpt.ReasonRateLimited,
			rcpt.ReasonTemporaryFailure, rcpt.ReasonMailboxFull, rcpt.ReasonBlocked, rcpt.ReasonInternalError,
			rcpt.ReasonUnfinished, rcpt.ReasonBusy, rcpt.ReasonClosed, rcpt.ReasonNotYet,
		}, "", on{}, rcpt.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonResolverUnreliable, rcpt.ReasonPortBlocked, rcpt.ReasonEgressFailed}, "", on{}, rcpt.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonGreylisted}, "", on{disposable: true}, rcpt.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonGreylisted}, "", on{trap: true}, rcpt.ActionRemove},
		{[]rcpt.Reason{
			rcpt.ReasonMXReservedAddress, rcpt.ReasonNotOurDomain, rcpt.ReasonAmbiguousRefusal, rcpt.ReasonProtocolError, rcpt.ReasonControlInconclusive, rcpt.ReasonLevelReached,
			rcpt.ReasonRestricted, rcpt.ReasonUnsupportedAddress,
		}, "", on{}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonNotAsked}, "", on{}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonAmbiguousRefusal}, "", on{later: true}, rcpt.ActionRetry},
		{[]rcpt.Reason{rcpt.ReasonSeveralAddresses, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow}, "", on{}, rcpt.ActionReview},
		{[]rcpt.Reason{rcpt.ReasonNoAddress}, "", on{}, rcpt.ActionNone},
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
			if got := r.Action(); got != c.want {
				t.Errorf("%s %s %+v: %s, want %s", r.Verdict, reason, c.on, got, c.want)
			}
		}
	}
	for _, reason := range rcpt.Reasons() {
		if !slices.Contains(reached, reason) {
			t.Errorf("no case has the reason %s: decide what to do with it", reason)
		}
	}
	for verdict, want := range map[rcpt.Verdict]rcpt.Action{
		rcpt.VerdictDeliverable: rcpt.ActionSend, rcpt.VerdictAcceptAll: rcpt.ActionReview, rcpt.VerdictUndeliverable: rcpt.ActionRemove, rcpt.VerdictUnknown: rcpt.ActionReview,
	} {
		if got := (rcpt.Result{Verdict: verdict}).Action(); got != want {
			t.Errorf("%s without details: %s, want %s", verdict, got, want)
		}
	}
}

// TestActionsAreDocumented: the page for users has every reason of an unknown
// result beside what to do about it.
func TestActionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[rcpt.Action]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (?:any|`unknown`) \\|(.*)\\| `(\\w+)` \\|.*$").FindAllSubmatch(page, -1) {
		rows[rcpt.Action(row[2])] += string(row[1])
	}
	for _, reason := range rcpt.Reasons() {
		if reason.Verdict() != rcpt.VerdictUnknown {
			continue
		}
		want := rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: reason}.Action()
		for action, row := range rows {
			if has := strings.Contains(row, "`"+string(reason)+"`"); has != (action == want) {
				t.Errorf("%s is to %s; in the row of %s: %v", reason, want, action, has)
			}
		}
	}
}
