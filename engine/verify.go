package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/internal/sys/shown"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// Verify tells whether address can receive mail. A dead domain, a refusal and a
// silence are results, and so is the end of [Config.Timeout], which bounds
// everything, the wait for a session with a busy mail host included: what was
// found until then. An error means that the verification was not carried out.
// It has a reason of its own in the result beside it, which is
// [rcpt.VerdictUnknown], and has the flags, the suggestion and
// what else was found:
//
//   - ctx ended, by a cancel or by its deadline: the error wraps ctx.Err() and
//     the cause, the reason is [rcpt.ReasonUnfinished]. A deadline says when
//     the caller is gone, and nothing about a mail host;
//     [VerifyOptions.Timeout] asks for less patience. If ctx has ended before
//     the call, nobody is asked; what needs no network, such as the syntax and
//     a remembered result, is still answered without an error.
//   - Too many wait for a session with the mail host ([ErrBusy],
//     [rcpt.ReasonBusy]), or the Verifier was closed ([ErrClosed],
//     [rcpt.ReasonClosed]).
//   - There was a fault of our own ([rcpt.ReasonInternalError]).
//
// A remembered result ([Config.MaxRemembered]) has Cached set in its details
// and is otherwise unchanged.
func (v *Verifier) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return v.VerifyWith(ctx, address, VerifyOptions{})
}

// Recall returns the remembered result of an address, as Verify would, if there
// is one.
func (v *Verifier) Recall(ctx context.Context, address string) (rcpt.Result, bool) {
	result, ok := v.memory.recall(address)
	ok = ok && !v.closed.Load()
	if ok {
		v.report(ctx, result, nil)
	}
	return result, ok
}

// VerifyGroup verifies addresses of one domain, like Verify for each, at less
// cost: what concerns the domain is found out once, and one goroutine waits for
// all mailboxes. Addresses of other domains than the first valid one are
// verified separately. [Verifier.VerifyAll] is simpler to use.
//
// VerifyGroup calls done exactly once for each address, with its index, perhaps
// from several goroutines at a time, and returns after the last call. Done must
// be quick, because other addresses wait for it. If there are more addresses
// than may wait for one mail host ([Config.MaxWaitingPerHost]), the last of
// them get [ErrBusy], unless they are of a list ([GroupOptions.Caller]).
func (v *Verifier) VerifyGroup(
	ctx context.Context, addresses []string, o GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	if err := o.check(); err != nil {
		for i, address := range addresses {
			done(i, v.notCarriedOut(address, err), err)
		}
		return
	}
	rest, indexes := make([]string, 0, len(addresses)), make([]int, 0, len(addresses))
	for i, given := range addresses {
		address, result, known := v.known(ctx, given, o)
		if known {
			done(i, result, nil)
			continue
		}
		rest, indexes = append(rest, address), append(indexes, i)
	}
	v.judgeAll(ctx, v.scope(o), rest, func(i int, result rcpt.Result, err error) {
		result = o.given(result, addresses[indexes[i]])
		v.report(ctx, result, err)
		done(indexes[i], result, err)
	})
}

// judgeAll gathers the facts about addresses of one domain, judges them, and
// remembers the results. One that a caller with more time, or at a deeper
// level, might not have got is not remembered.
func (v *Verifier) judgeAll(
	ctx context.Context, s scope, addresses []string, done func(i int, result rcpt.Result, err error),
) {
	v.gather(ctx, s, addresses, func(i int, evidence Evidence, err error) {
		result := Decide(evidence, v.policy)
		shallow := s.level != v.config.Level && result.Reason == rcpt.ReasonLevelReached
		hurried := s.allowed < v.config.Timeout && !result.Settled()
		// Otherwise it may rest on lists that were replaced.
		if v.lists.Load() == s.lists && !shallow && !hurried {
			v.memory.keep(addresses[i], result)
		}
		done(i, result, err)
	})
}

// Gather collects the facts about address without judging them. After an error
// the evidence holds what was learned until then.
func (v *Verifier) Gather(ctx context.Context, address string) (evidence Evidence, err error) {
	s := v.scope(GroupOptions{})
	v.gather(ctx, s, []string{address}, func(_ int, e Evidence, fault error) { evidence, err = e, fault })
	return evidence, err
}

// scope is what a verification uses.
type scope struct {
	lists   *lists.Lists
	level   Level
	allowed time.Duration // for the DNS and the mail hosts
	how     GroupOptions  // of the caller; the level and the time are those above
}

// scope is that of a verification which begins now.
func (v *Verifier) scope(o GroupOptions) scope {
	allowed := v.config.Timeout
	if o.Timeout > 0 {
		allowed = min(allowed, o.Timeout)
	}
	return scope{v.lists.Load(), o.Level.atMost(v.config.Level), allowed, o}
}

// noEvidence is that about an address before anything is known of it.
func (v *Verifier) noEvidence(address string, level Level, allowed time.Duration, started time.Time) Evidence {
	return Evidence{
		Schema: EvidenceSchema, Email: shown.Text(address), MailFrom: v.config.MailFrom,
		Level: level, Allowed: allowed, StartedAt: started.UTC().Truncate(time.Millisecond),
	}
}

// end notes how the gathering ended, and when.
func (e *Evidence) end(started time.Time, err error) {
	if err != nil {
		e.Fault, e.FaultReason = err.Error(), ReasonOf(err)
	}
	e.Duration = time.Since(started).Truncate(time.Millisecond)
}

// read finds what can be learned without asking anyone, and whether that leaves
// something to ask.
func (v *Verifier) read(
	r *reading.Reader, given string, evidence *Evidence,
) (mailbox address.Address, goesOn bool) {
	facts := r.Read(given)
	evidence.Syntax, evidence.Suggestion, evidence.Matches = facts.Syntax, facts.Suggestion, facts.Matches
	if facts.Syntax != nil {
		return mailbox, false
	}
	mailbox = facts.Mailbox
	evidence.Irregular = mailbox.Irregular()
	evidence.Local, evidence.Domain, evidence.Mailbox = mailbox.Local(), mailbox.Domain(), mailbox.Mailbox()
	if reading.Trapped(evidence.Matches) || evidence.Level == LevelSyntax {
		return mailbox, false
	}
	if rule := v.noAsk.Domain(mailbox.Domain()); rule != "" {
		evidence.NotAsked = []NotAsked{{Rule: rule}}
		return mailbox, false
	}
	return mailbox, true
}

// resolved is what the DNS says about a domain.
type resolved struct {
	dnsresolve.Findings
	network *NetworkFacts // nil: it can be believed
}

// resolve finds the mail hosts of a domain, until end at most. The error is
// non-nil only if ctx has ended.
func (v *Verifier) resolve(ctx context.Context, end time.Time, domain string) (resolved, error) {
	started := time.Now()
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	v.resolverCheck.Begins()
	found, err := v.resolver.MailHosts(limited, domain)
	v.own.mark(found.Hosts)
	var fault string
	if err == nil {
		found, fault = v.confirm(limited, found)
	}
	if ctx.Err() == nil {
		v.resolverCheck.Ended(limited, found)
	}
	err = ended(ctx, "mail hosts of "+domain)
	took := time.Since(started)
	v.config.Logger.LogAttrs(ctx, slog.LevelDebug, "mail hosts",
		slog.String("domain", domain), slog.String("status", string(found.Status)),
		slog.Int("hosts", len(found.Hosts)), slog.Duration("took", took))
	if v.config.Hooks.Resolved != nil && err == nil { // a caller that gave up has learned nothing
		v.config.Hooks.Resolved(ctx, found, took)
	}
	// A closed resolver finds nothing, which would look like a fault of the
	// domain's DNS.
	if err == nil && v.closed.Load() {
		err = ErrClosed
	}
	answer := resolved{Findings: found}
	if fault != "" {
		answer.network = &NetworkFacts{ResolverFault: fault}
	}
	return answer, err
}

// knownHosts returns what is known of a domain's mail hosts without asking;
// nil: nothing is.
func (v *Verifier) knownHosts(domain string) *dnsresolve.Findings {
	if v.resolver == nil {
		return nil
	}
	if found, ok := v.resolver.Known(domain); ok {
		return &found
	}
	return nil
}

// request is the question to the mail hosts about a member.
func (g *group) request(m *member, control string, route []smtpprobe.Host, budget time.Duration) smtpprobe.Request {
	return smtpprobe.Request{
		Hosts:    route,
		Target:   m.mailbox.Mailbox(),
		Control:  control,
		SMTPUTF8: m.mailbox.NeedsSMTPUTF8(),
		Budget:   max(budget, time.Nanosecond), // zero would be no bound
		Caller:   g.scope.how.Caller,
	}
}

// probed tells what mail hosts said.
func (v *Verifier) probed(ctx context.Context, domain string, said smtpprobe.Findings, took time.Duration) {
	v.config.Logger.LogAttrs(ctx, slog.LevelDebug, "mail hosts asked", slog.String("domain", domain),
		slog.Int("sessions", len(said.Sessions)), slog.Duration("took", took))
	if v.config.Hooks.Probed != nil {
		v.config.Hooks.Probed(ctx, said, took)
	}
}

func (v *Verifier) report(ctx context.Context, r rcpt.Result, err error) {
	if v.config.Logger.Enabled(ctx, slog.LevelInfo) {
		v.logResult(ctx, r)
	}
	if v.config.Hooks.Verified != nil {
		v.config.Hooks.Verified(ctx, r, err)
	}
}

func (v *Verifier) logResult(ctx context.Context, r rcpt.Result) {
	v.config.Logger.LogAttrs(ctx, slog.LevelInfo, "verified", slog.String("domain", r.Domain),
		slog.String("result", string(r.Verdict)), slog.String("reason", string(r.Reason)),
		slog.Int64("duration_ms", r.Details.Duration.Milliseconds()))
}
