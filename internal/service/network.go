package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
)

// watchNetwork checks the network at start, and again as long as it does not
// work, until ctx is canceled.
func (r *running) watchNetwork(ctx context.Context) {
	r.verifier.CheckNetwork(ctx)
	doctor.KeepChecking(ctx, r.verifier)
}

// networkChanged logs once when the network stops working, and once when it
// works again.
func (r *running) networkChanged(s engine.NetworkStatus) {
	r.fault.Store(headway.FaultOf(s))
	fault := doctor.NetworkError(s)
	text := ""
	if fault != nil {
		text = fault.Error()
	}
	r.mu.Lock()
	before := r.network
	r.network = text
	r.mu.Unlock()
	switch {
	case text == before:
	case fault != nil:
		r.logger.Warn(text)
	default:
		r.logger.Info("the network works again")
	}
	r.alertSoon()
	r.logger.Debug("network", slog.String("resolver", string(s.Resolver.State)),
		slog.String("port", string(s.Port.State)))
}

// networkFault is what does not work of the network, as far as is known.
func (r *running) networkFault() headway.Fault {
	fault, _ := r.fault.Load().(headway.Fault)
	return fault
}

var errNetworkFails = errors.New("the check of the network fails")

// ready returns why requests cannot be served, or nil.
func (r *running) ready(ctx context.Context) error {
	if r.ReadyNetwork && doctor.NetworkError(r.verifier.Network()) != nil {
		return errNetworkFails
	}
	if err := r.listsFault(); err != nil {
		return err
	}
	return r.state.ready(ctx)
}

// networkChecks returns the checks of the network for the dashboard, without
// those that are off.
func networkChecks(s engine.NetworkStatus) []dashboard.NetworkCheck {
	var all []dashboard.NetworkCheck
	for _, c := range []struct {
		name, advice string
		check        engine.Check
	}{
		{dashboard.ResolverCheck, "Name a working DNS server with --resolver. Until then no domain is undeliverable.",
			s.Resolver},
		{
			"Port 25",
			"Ask your hoster to open outgoing port 25, or use --proxy. Until then no mailbox is verified.",
			s.Port,
		},
	} {
		if c.check.State == engine.CheckOff {
			continue
		}
		all = append(all, dashboard.NetworkCheck{
			Name: c.name, Tested: c.check.State != engine.CheckUntested, Fault: c.check.Fault, Advice: c.advice,
			Since: c.check.Since, Checked: c.check.CheckedAt,
		})
	}
	return all
}
