// Command aftership drives github.com/AfterShip/email-verifier over the list of
// a world.
//
// The library looks names up with the system's resolver and dials port 25: its
// process gets a resolver that asks the world, and the world listens on port
// 25. Nothing of the library is changed.
package main

import (
	"context"
	"net"

	verifier "github.com/AfterShip/email-verifier"

	"github.com/rcpt/rcpt/lab/bench/drive"
)

func main() { drive.Main(newTool) }

type tool struct{ verifier *verifier.Verifier }

func newTool(s drive.Setting) (drive.Tool, error) {
	net.DefaultResolver = &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, s.DNS)
		},
	}
	v := verifier.NewVerifier().EnableSMTPCheck().HelloName(drive.HELO).FromEmail(drive.MailFrom)
	if s.Suggest {
		v.EnableDomainSuggest()
	}
	return &tool{verifier: v}, nil
}

func (t *tool) Run(ctx context.Context, queue *drive.Queue, concurrency int, report func(drive.Answer)) error {
	verify := func(_ context.Context, address string) (drive.Verdict, error) {
		result, err := t.verifier.Verify(address)
		return verdict(result, err), err
	}
	return drive.RunEach(ctx, queue, concurrency, report, verify)
}

// verdict reads "reachable" as the library's documentation does; what it calls
// unknown and catch-all is accept-all.
func verdict(result *verifier.Result, err error) drive.Verdict {
	switch {
	case err != nil || result.SMTP == nil:
		return drive.Unknown
	case result.Reachable == "yes":
		return drive.Deliverable
	case result.Reachable == "no":
		return drive.Undeliverable
	case result.SMTP.CatchAll:
		return drive.AcceptAll
	}
	return drive.Unknown
}

// Close has nothing to close: the library keeps nothing open.
func (t *tool) Close() error { return nil }
