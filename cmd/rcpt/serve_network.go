package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server/dashboard"
)

// networkEvery is how often a network that does not work is checked again, also while nobody asks for anything. It is a little more than the minute for which the
// engine does not repeat a check that failed.
const networkEvery = time.Minute + 5*time.Second

// watchNetwork checks the network at start, and then for as long as it does not work, until ctx is cancelled.
func (r *running) watchNetwork(ctx context.Context) {
	again := time.NewTicker(networkEvery)
	defer again.Stop()
	r.verifier.CheckNetwork(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if r.verifier.Network().Failed() {
			r.verifier.CheckNetwork(ctx)
		}
	}
}

// networkChanged logs once that the network does not work, and once that it works again.
func (r *running) networkChanged(s engine.NetworkStatus) {
	fault := faultOf(s)
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
	r.logger.Debug("network", slog.String("resolver", string(s.Resolver.State)), slog.String("port", string(s.Port.State)))
}

var errNetworkFails = errors.New("the check of the network fails")

// ready tells why requests cannot be served.
func (r *running) ready(ctx context.Context) error {
	if r.readyNetwork && r.verifier.Network().Failed() {
		return errNetworkFails
	}
	return r.state.ready(ctx)
}

// networkChecks are the checks of the network as the dashboard shows them, but for those that are off.
func networkChecks(s engine.NetworkStatus) []dashboard.NetworkCheck {
	var all []dashboard.NetworkCheck
	for _, c := range []struct {
		name, advice string
		check        engine.Check
	}{
		{"DNS resolver", "Name a DNS server that works with --resolver. Until then no domain is called undeliverable.", s.Resolver},
		{"Port 25", "Ask your hoster to open outgoing TCP port 25, or send through --proxy. Until then mailboxes cannot be checked.", s.Port},
	} {
		if c.check.State == engine.CheckOff {
			continue
		}
		all = append(all, dashboard.NetworkCheck{
			Name: c.name, Tested: c.check.State != engine.CheckUntested, Fault: c.check.Fault, Advice: c.advice, Since: c.check.Since, Checked: c.check.CheckedAt,
		})
	}
	return all
}
