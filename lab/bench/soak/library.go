package soak

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// helo is the name that mail hosts are greeted with.
const helo = "soak.test"

// library is the engine as a library, in this process.
type library struct {
	verifier *engine.Verifier
	timeout  time.Duration
}

func newLibrary(spec Spec, ready Ready, timeout time.Duration) (*library, error) {
	verifier, err := engine.New(engine.Config{
		Resolvers: []string{ready.DNS}, SMTPPort: ready.Port, HELO: helo,
		AllowNets: []netip.Prefix{spec.Network()}, Timeout: timeout,
	})
	return &library{verifier, timeout}, err
}

func (*library) name() string              { return "library" }
func (*library) figures() (figures, error) { return inside() }
func (l *library) close(*faults)           { _ = l.verifier.Close() }
func (l *library) patience() time.Duration { return l.timeout }

func (l *library) verify(ctx context.Context, address string) (said, error) {
	result, err := l.verifier.Verify(ctx, address)
	if errors.Is(err, engine.ErrBusy) {
		return said{busy: true}, nil
	}
	if err != nil {
		return said{}, err
	}
	return said{verdict: result.Verdict, reason: result.Reason}, nil
}
