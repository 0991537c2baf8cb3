package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/internal/netcheck"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/sys/flight"
	"github.com/rcpt/rcpt/internal/sys/machine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// Verifier verifies addresses. It is safe for concurrent use.
type Verifier struct {
	config   Config
	policy   Policy
	lists    atomic.Pointer[lists.Lists]
	resolver *dnsresolve.Resolver
	rhsbls   *rhsbl.Lists // nil: none
	pool     *smtpprobe.Pool
	own      *ownAddrs
	noAsk    NoAskRules
	memory   *memory
	calls    flight.Group[rcpt.Result] // verifications that several callers may share
	controls *controls
	closed   atomic.Bool

	base          context.Context // ends with Close
	cancel        context.CancelFunc
	resolverCheck *netcheck.Resolver // nil: is not made
	portCheck     *netcheck.Port     // the same
	dropped       runtime.Cleanup    // closes the pool if the Verifier was not closed
}

// New returns a Verifier. Errors name the field of config that cannot be used.
//
// A Verifier costs next to nothing before its first use. What it learns, and
// the sessions that it keeps open for the next addresses, serve those that are
// verified by the same one: make one for the program, and close it in the end,
// so that the last sessions end with QUIT. One that nobody refers to any more
// is closed by the garbage collector. In a [testing/synctest] bubble, which the
// collector does not belong to, it must be closed before the bubble ends.
func New(config Config) (*Verifier, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	policy := Policy{AllowNets: config.AllowNets, Classifier: config.Classifier}
	v := &Verifier{config: config, policy: policy, controls: newControls(config)}
	v.calls.Apart = true
	v.own = newOwnAddrs(config.OwnAddrs)
	v.lists.Store(config.Lists)
	if v.noAsk, err = ReadNoAsk(config.NoAsk...); err != nil {
		return nil, invalid("NoAsk", err)
	}
	v.memory = newMemory(config.MaxRemembered)
	v.base, v.cancel = context.WithCancel(context.Background())
	if config.Level == LevelSyntax {
		return v, nil
	}
	if err := v.connect(); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// connect makes what uses the network. After an error, Close frees what was
// made.
func (v *Verifier) connect() error {
	config := v.config
	egresses, err := config.egresses()
	if err != nil {
		return err
	}
	sessions, questions := config.withinOpenFiles(machine.OpenFiles())
	provider.Of("") // reads the table now rather than at the first verification
	v.pool, err = smtpprobe.New(smtpprobe.Config{
		Dialer: config.Dialer, Egresses: egresses, Routes: config.Routes,
		HELO: config.HELO, MailFrom: config.MailFrom, Port: config.SMTPPort,
		MaxSessionsPerHost: config.MaxSessionsPerHost, MaxSessions: sessions,
		MaxWaitingPerHost: config.MaxWaitingPerHost, Pace: config.Pace, PaceMemory: config.PaceMemory,
		Classifier: config.Classifier, Logger: config.Logger,
	})
	if err != nil {
		return fmt.Errorf("engine: %w", err) // which names a field that has the same name here
	}
	v.dropped = runtime.AddCleanup(v, letGo, v.pool)
	v.resolver, err = dnsresolve.New(dnsresolve.Config{
		Servers: config.Resolvers, Exchanger: config.Exchanger, MaxQueries: questions,
		SkipIPv6: mayReach(v.pool, v.own, config.AllowNets), Logger: config.Logger,
	})
	if err != nil {
		return invalid("Resolvers", err)
	}
	v.rhsbls, err = rhsbl.New(rhsbl.Config{
		Zones: config.RHSBLs, Servers: config.Resolvers, Exchanger: config.Exchanger, MaxQueries: questions,
		Logger: config.Logger,
	})
	if err != nil {
		return invalid("RHSBLs", err)
	}
	if config.networkCheck() {
		v.addNetworkCheck()
	}
	return nil
}

// letGo closes the pool of a Verifier that was dropped. It must not block: the
// garbage collector calls it.
func letGo(pool *smtpprobe.Pool) { pool.Abandon() }

// Policy returns what this Verifier judges evidence by now, for [Decide]: its
// rules, and its lists ([Verifier.SetLists]).
func (v *Verifier) Policy() Policy {
	policy := v.policy
	policy.Lists = v.lists.Load()
	policy.AllowNets = slices.Clone(policy.AllowNets)
	return policy
}

// Lists returns the lists of verifications that begin now.
func (v *Verifier) Lists() *lists.Lists { return v.lists.Load() }

// SetLists makes l the lists of verifications that begin from now on, and
// forgets the results that rest on others. Nil: the embedded ones, as in
// [Config.Lists]. It may be called while verifications are in progress.
func (v *Verifier) SetLists(l *lists.Lists) {
	if l == nil {
		l = lists.Default()
	}
	v.lists.Store(l)
	v.calls.Detach()
	v.memory.forget()
}

// Close waits for the sessions in progress to end with QUIT, for a few seconds
// at most, and frees the cache. Verifications that still need the network, or
// begin later, fail with [ErrClosed].
func (v *Verifier) Close() error {
	v.closed.Store(true)
	v.dropped.Stop()
	v.memory.forget()
	v.cancel()
	v.resolverCheck.Close()
	v.portCheck.Close()
	if v.resolver != nil {
		v.resolver.Close()
	}
	v.rhsbls.Close()
	if v.pool != nil {
		return v.pool.Close()
	}
	return nil
}
