package bulk_test

import (
	"slices"
	"testing"

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
		{[]engine.Reason{engine.RecipientAccepted}, "", on{}, bulk.Send},
		{[]engine.Reason{engine.RecipientAccepted}, "", on{role: true}, bulk.Send},
		{[]engine.Reason{engine.RecipientAccepted}, "", on{disposable: true}, bulk.Review},
		{[]engine.Reason{engine.RecipientAccepted}, "", on{trap: true}, bulk.Remove},
		{[]engine.Reason{engine.CatchAll}, "", on{}, bulk.Review},
		{[]engine.Reason{engine.CatchAll}, "", on{disposable: true, role: true}, bulk.Review},
		{[]engine.Reason{engine.CatchAll}, "", on{trap: true}, bulk.Remove},
		{[]engine.Reason{engine.SpamTrap}, "", on{}, bulk.Remove},
		{[]engine.Reason{engine.SpamTrap}, "", on{trap: true, later: true}, bulk.Remove},
		{[]engine.Reason{
			engine.InvalidSyntax, engine.DomainNotFound, engine.NoMailHost, engine.NullMX, engine.MailboxNotFound, engine.MailboxDisabled,
			engine.MailboxMoved, engine.SMTPUTF8Unsupported,
		}, "", on{}, bulk.Remove},
		{[]engine.Reason{engine.MailboxNotFound}, "", on{disposable: true, role: true}, bulk.Remove},
		{[]engine.Reason{engine.MXReservedAddress}, engine.Undeliverable, on{}, bulk.Remove},
		{[]engine.Reason{
			engine.DNSTemporary, engine.ConnectionFailed, engine.ConnectionTimeout, engine.TLSFailed, engine.Greylisted, engine.RateLimited,
			engine.TemporaryFailure, engine.MailboxFull, engine.Blocked, engine.InternalError,
		}, "", on{}, bulk.Retry},
		{[]engine.Reason{engine.ResolverUnreliable, engine.PortBlocked, engine.EgressFailed}, "", on{}, bulk.Retry},
		{[]engine.Reason{engine.Greylisted}, "", on{disposable: true}, bulk.Retry},
		{[]engine.Reason{engine.Greylisted}, "", on{trap: true}, bulk.Remove},
		{[]engine.Reason{
			engine.MXReservedAddress, engine.NotOurDomain, engine.AmbiguousRefusal, engine.ProtocolError, engine.ControlInconclusive, engine.SMTPSkipped,
		}, "", on{}, bulk.Review},
		{[]engine.Reason{"not_asked"}, engine.Unknown, on{}, bulk.Review},
		{[]engine.Reason{engine.AmbiguousRefusal}, "", on{later: true}, bulk.Retry},
		{[]engine.Reason{engine.InvalidSyntax}, engine.Several, on{}, bulk.Review},
		{[]engine.Reason{engine.InvalidSyntax}, engine.Empty, on{}, bulk.Remove},
	}
	reached := []engine.Reason{}
	for _, c := range cases {
		for _, reason := range c.reasons {
			reached = append(reached, reason)
			r := engine.Result{Verdict: c.verdict, Disposable: c.on.disposable, Role: c.on.role, SpamTrap: c.on.trap, Details: &engine.Details{Reason: reason}}
			if r.Verdict == "" {
				r.Verdict = reason.Verdict()
			}
			if c.on.later {
				r.Details.RetryAfter = 60
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
		engine.Deliverable: bulk.Send, engine.AcceptAll: bulk.Review, engine.Undeliverable: bulk.Remove, engine.Unknown: bulk.Review,
	} {
		if got := bulk.ActionFor(engine.Result{Verdict: verdict}); got != want {
			t.Errorf("%s without details: %s, want %s", verdict, got, want)
		}
	}
}
