package bulk_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// TestActionFor: every reason, alone and with the flags that change what to do.
func TestActionFor(t *testing.T) {
	type on struct{ disposable, role, trap, later bool }
	cases := []struct {
		reasons []engine.Reason
		verdict engine.Verdict // empty: that of the reason
		on      on
		want    bulk.Action
	}{
		{[]engine.Reason{engine.ReasonRecipientAccepted}, "", on{}, bulk.ActionSend},
		{[]engine.Reason{engine.ReasonRecipientAccepted}, "", on{role: true}, bulk.ActionSend},
		{[]engine.Reason{engine.ReasonRecipientAccepted}, "", on{disposable: true}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonRecipientAccepted}, "", on{trap: true}, bulk.ActionRemove},
		{[]engine.Reason{engine.ReasonCatchAll}, "", on{}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonCatchAll}, "", on{disposable: true, role: true}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonCatchAll}, "", on{trap: true}, bulk.ActionRemove},
		{[]engine.Reason{engine.ReasonSpamTrap}, "", on{}, bulk.ActionRemove},
		{[]engine.Reason{engine.ReasonSpamTrap}, "", on{trap: true, later: true}, bulk.ActionRemove},
		{[]engine.Reason{
			engine.ReasonInvalidSyntax, engine.ReasonDomainNotFound, engine.ReasonNoMailHost, engine.ReasonNullMX, engine.ReasonMailboxNotFound, engine.ReasonMailboxDisabled,
			engine.ReasonMailboxMoved, engine.ReasonSMTPUTF8Unsupported,
		}, "", on{}, bulk.ActionRemove},
		{[]engine.Reason{engine.ReasonMailboxNotFound}, "", on{disposable: true, role: true}, bulk.ActionRemove},
		{[]engine.Reason{engine.ReasonMXReservedAddress}, engine.VerdictUndeliverable, on{}, bulk.ActionRemove},
		{[]engine.Reason{
			engine.ReasonDNSTemporary, engine.ReasonConnectionFailed, engine.ReasonConnectionTimeout, engine.ReasonTLSFailed, engine.ReasonGreylisted, engine.ReasonRateLimited,
			engine.ReasonTemporaryFailure, engine.ReasonMailboxFull, engine.ReasonBlocked, engine.ReasonInternalError,
			engine.ReasonUnfinished, engine.ReasonBusy, engine.ReasonClosed, engine.ReasonNotYet,
		}, "", on{}, bulk.ActionRetry},
		{[]engine.Reason{engine.ReasonResolverUnreliable, engine.ReasonPortBlocked, engine.ReasonEgressFailed}, "", on{}, bulk.ActionRetry},
		{[]engine.Reason{engine.ReasonGreylisted}, "", on{disposable: true}, bulk.ActionRetry},
		{[]engine.Reason{engine.ReasonGreylisted}, "", on{trap: true}, bulk.ActionRemove},
		{[]engine.Reason{
			engine.ReasonMXReservedAddress, engine.ReasonNotOurDomain, engine.ReasonAmbiguousRefusal, engine.ReasonProtocolError, engine.ReasonControlInconclusive, engine.ReasonLevelReached,
			engine.ReasonRestricted, engine.ReasonUnsupportedAddress,
		}, "", on{}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonNotAsked}, "", on{}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonAmbiguousRefusal}, "", on{later: true}, bulk.ActionRetry},
		{[]engine.Reason{engine.ReasonSeveralAddresses, engine.ReasonUnclearAddress, engine.ReasonInvalidRow}, "", on{}, bulk.ActionReview},
		{[]engine.Reason{engine.ReasonNoAddress}, "", on{}, bulk.ActionNone},
	}
	reached := []engine.Reason{}
	for _, c := range cases {
		for _, reason := range c.reasons {
			reached = append(reached, reason)
			r := engine.Result{Verdict: c.verdict, Disposable: c.on.disposable, Role: c.on.role, SpamTrap: c.on.trap, Reason: reason, Details: &engine.Details{}}
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
	for _, reason := range engine.Reasons() {
		if !slices.Contains(reached, reason) {
			t.Errorf("no case has the reason %s: decide what to do with it", reason)
		}
	}
	for verdict, want := range map[engine.Verdict]bulk.Action{
		engine.VerdictDeliverable: bulk.ActionSend, engine.VerdictAcceptAll: bulk.ActionReview, engine.VerdictUndeliverable: bulk.ActionRemove, engine.VerdictUnknown: bulk.ActionReview,
	} {
		if got := bulk.ActionFor(engine.Result{Verdict: verdict}); got != want {
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
	for _, reason := range engine.Reasons() {
		if reason.Verdict() != engine.VerdictUnknown {
			continue
		}
		want := bulk.ActionFor(engine.Result{Verdict: engine.VerdictUnknown, Reason: reason})
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
	good, trap := engine.Result{Verdict: engine.VerdictDeliverable}, engine.Result{Verdict: engine.VerdictUnknown, SpamTrap: true}
	bad, empty := engine.Result{Verdict: engine.VerdictUndeliverable}, engine.Result{Verdict: engine.VerdictUnknown, Reason: engine.ReasonNoAddress}
	all, later := engine.Result{Verdict: engine.VerdictAcceptAll}, engine.Result{Verdict: engine.VerdictUnknown, Reason: engine.ReasonGreylisted, Details: &engine.Details{}}
	for _, c := range []struct {
		results []engine.Result
		want    bulk.Group
	}{
		{[]engine.Result{good}, bulk.GroupSafe},
		{[]engine.Result{bad}, bulk.GroupBad},
		{[]engine.Result{empty}, bulk.GroupNone},
		{[]engine.Result{good, bad}, bulk.GroupSafe},
		{[]engine.Result{later, good}, bulk.GroupRetry},
		{[]engine.Result{empty, good}, bulk.GroupSafe},
		{[]engine.Result{empty, empty, all}, bulk.GroupRisky},
		{[]engine.Result{bad, good}, bulk.GroupRisky},
		{[]engine.Result{bad, empty, later}, bulk.GroupRisky},
		{[]engine.Result{bad, empty}, bulk.GroupBad},
		{[]engine.Result{bad, trap}, bulk.GroupBad},
		{[]engine.Result{empty, empty}, bulk.GroupNone},
	} {
		if got := bulk.RowGroup(c.results); got != c.want {
			t.Errorf("%v: %s, want %s", c.results, got, c.want)
		}
	}
}
