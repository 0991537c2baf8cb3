package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

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
	calls    flight.Group[Result] // verifications that several callers may share
	controls *controls
	closed   atomic.Bool

	base          context.Context // ends with Close
	cancel        context.CancelFunc
	resolverCheck *netcheck.Resolver // nil: is not made
	portCheck     *netcheck.Port     // the same
}

// New returns a Verifier. Close it when done, so that the last sessions end
// with QUIT. Errors name the field of config that cannot be used.
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
	if v.memory, err = newMemory(config.Remember); err != nil {
		return nil, err
	}
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
	v.resolver, err = dnsresolve.New(dnsresolve.Config{
		Servers: config.Resolvers, Exchanger: config.Exchanger, SkipIPv6: v.mayReach, MaxQueries: questions,
		Logger: config.Logger,
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
	if config.networkCheck() {
		v.addNetworkCheck()
	}
	return nil
}

// Policy returns what this Verifier judges evidence by, for [Decide].
func (v *Verifier) Policy() Policy {
	policy := v.policy
	policy.AllowNets = slices.Clone(policy.AllowNets)
	return policy
}

// Lists returns the lists of verifications that begin now.
func (v *Verifier) Lists() *lists.Lists { return v.lists.Load() }

// SetLists makes l, which must not be nil, the lists of verifications that
// begin from now on, and forgets the results that rest on others. It may be
// called while verifications are in progress.
func (v *Verifier) SetLists(l *lists.Lists) {
	v.lists.Store(l)
	v.calls.Detach()
	v.memory.forget()
}

// Close waits for the sessions in progress to end with QUIT, for a few seconds
// at most, and frees the cache. Verifications that still need the network, or
// begin later, fail with [ErrClosed].
func (v *Verifier) Close() error {
	v.closed.Store(true)
	v.memory.close()
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
