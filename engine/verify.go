package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/shown"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// Verify tells whether address can receive mail. A dead domain, a refusal and a
// silence are results, and so is a deadline of ctx that passes while a server
// is to answer. The error is non-nil only if the verification itself could not
// be carried out: ctx was cancelled (the error wraps ctx.Err() and the cause),
// no session with the mail host became free ([ErrBusy]), the Verifier was
// closed ([ErrClosed]), or there was a fault of our own. The result then is
// [VerdictUnknown] with Success false.
//
// The configured timeout does not run while the verification waits for a free
// session with the mail host. A remembered result ([Config.Remember]) has
// Cached set in its details and is otherwise unchanged.
func (v *Verifier) Verify(ctx context.Context, address string) (Result, error) {
	return v.VerifyWith(ctx, address, VerifyOptions{})
}

// Recall returns the remembered result of an address, as Verify would, if there
// is one.
func (v *Verifier) Recall(ctx context.Context, address string) (Result, bool) {
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
// them get [ErrBusy], unless [GroupOptions.Waits] is set.
func (v *Verifier) VerifyGroup(
	ctx context.Context, addresses []string, o GroupOptions, done func(i int, result Result, err error),
) {
	if err := checkLevel("GroupOptions", o.Level); err != nil {
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
	v.judgeAll(ctx, v.scope(o), rest, func(i int, result Result, err error) {
		result = o.given(result, addresses[indexes[i]])
		v.report(ctx, result, err)
		done(indexes[i], result, err)
	})
}

// judgeAll gathers the facts about addresses of one domain, judges them, and
// remembers the results. One that a caller with more time, or at a deeper
// level, might not have got is not remembered.
func (v *Verifier) judgeAll(
	ctx context.Context, s scope, addresses []string, done func(i int, result Result, err error),
) {
	v.gather(ctx, s, addresses, func(i int, evidence Evidence, err error) {
		result := Decide(evidence, v.policy)
		shallow := s.level != v.config.Level && result.Reason == ReasonLevelReached
		// Otherwise it may rest on lists that were replaced.
		if v.lists.Load() == s.lists && !shallow && result.Settled(ctx, v.config.Timeout) {
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
	lists *lists.Lists
	level Level
	how   GroupOptions // of the caller; the level is that above
}

// scope is that of a verification which begins now.
func (v *Verifier) scope(o GroupOptions) scope {
	return scope{v.lists.Load(), o.Level.atMost(v.config.Level), o}
}

// noEvidence is that about an address before anything is known of it.
func (v *Verifier) noEvidence(address string, level Level, started time.Time) Evidence {
	return Evidence{
		Schema: EvidenceSchema, Email: shown.Text(address), MailFrom: v.config.MailFrom,
		Level: level, StartedAt: started.UTC().Truncate(time.Millisecond),
	}
}

// end notes how the gathering ended, and when.
func (e *Evidence) end(started time.Time, err error) {
	if err != nil {
		e.Fault, e.FaultReason = err.Error(), faultReason(err)
	}
	e.Duration = time.Since(started).Truncate(time.Millisecond)
}

// read finds what can be learned without asking anyone, and whether that leaves
// something to ask.
func (v *Verifier) read(
	s *suggester, given string, evidence *Evidence,
) (mailbox address.Address, goesOn bool, err error) {
	if mailbox, err = address.Read(given); err != nil {
		evidence.Syntax, err = syntaxFault(err)
		evidence.Suggestion = cmp.Or(s.suggestDotted(given, evidence.Syntax), s.repair(given))
		return mailbox, false, err
	}
	evidence.Irregular = mailbox.Irregular()
	evidence.Local, evidence.Domain, evidence.Mailbox = mailbox.Local(), mailbox.Domain(), mailbox.Mailbox()
	evidence.Matches = s.known.Match(mailbox.Unquoted(), mailbox.Domain())
	evidence.Suggestion = s.suggest(mailbox.Local(), mailbox.Domain())
	if evidence.Suggestion == "" && !slices.ContainsFunc(evidence.Irregular, isIssued) && len(evidence.Irregular) > 0 {
		evidence.Suggestion = s.repair(given)
	}
	if trapped(evidence.Matches) || evidence.Level == LevelSyntax {
		return mailbox, false, nil
	}
	if rule := v.noAsk.Domain(mailbox.Domain()); rule != "" {
		evidence.NotAsked = []NotAsked{{Rule: rule}}
		return mailbox, false, nil
	}
	return mailbox, true, nil
}

// isIssued reports whether something irregular is as the provider has issued
// it: no slip.
func isIssued(irregular address.Error) bool { return irregular.Reason == address.ReasonLocalDot }

// resolved is what the DNS says about a domain.
type resolved struct {
	dnsresolve.Findings
	network *NetworkFacts // nil: it can be believed
	took    time.Duration
}

func (v *Verifier) resolve(ctx context.Context, domain string) (resolved, error) {
	started := time.Now()
	v.resolverCheck.Begins()
	found, err := v.mailHosts(ctx, domain)
	v.own.mark(found.Hosts)
	var fault string
	if err == nil {
		found, fault, err = v.confirm(ctx, found)
	}
	if err == nil {
		v.resolverCheck.Ended(ctx, found)
	}
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
	answer := resolved{Findings: found, took: took}
	if fault != "" {
		answer.network = &NetworkFacts{ResolverFault: fault}
	}
	return answer, err
}

func (v *Verifier) mailHosts(ctx context.Context, domain string) (dnsresolve.Findings, error) {
	if found, ok := v.resolver.Known(domain); ok && ctx.Err() == nil {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, v.config.Timeout)
	defer cancel()
	return v.resolver.MailHosts(ctx, domain)
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
		Queued:   g.scope.how.Waits,
		Lane:     g.scope.how.Lane,
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

func (v *Verifier) report(ctx context.Context, r Result, err error) {
	if v.config.Logger.Enabled(ctx, slog.LevelInfo) {
		v.logResult(ctx, r)
	}
	if v.config.Hooks.Verified != nil {
		v.config.Hooks.Verified(ctx, r, err)
	}
}

func (v *Verifier) logResult(ctx context.Context, r Result) {
	v.config.Logger.LogAttrs(ctx, slog.LevelInfo, "verified", slog.String("domain", r.Domain),
		slog.String("result", string(r.Verdict)), slog.String("reason", string(r.Reason)),
		slog.Int64("duration_ms", r.Details.Duration.Milliseconds()))
}

// syntaxFault turns a parse error into a fact; any other error is a fault of
// our own and stays one.
func syntaxFault(err error) (*address.Error, error) {
	var fault *address.Error
	if !errors.As(err, &fault) {
		return nil, err
	}
	return fault, nil
}
