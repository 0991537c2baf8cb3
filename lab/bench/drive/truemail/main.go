// Command truemail drives github.com/truemail-rb/truemail-go over the list of a
// world.
//
// The library is asked to be careful (SmtpSafeCheck): it then calls an address
// invalid only when a reply says so. It knows valid and invalid and nothing
// between.
package main

import (
	"context"

	"github.com/truemail-rb/truemail-go"

	"github.com/rcpt/rcpt/lab/bench/drive"
)

func main() { drive.Main(newTool) }

type tool struct{ configuration *truemail.Configuration }

func newTool(s drive.Setting) (drive.Tool, error) {
	configuration, err := truemail.NewConfiguration(truemail.ConfigurationAttr{
		VerifierEmail: drive.MailFrom, VerifierDomain: drive.HELO,
		Dns: s.DNS, SmtpPort: int(s.Spec.Port), SmtpSafeCheck: true,
	})
	if err != nil {
		return nil, err
	}
	return &tool{configuration: configuration}, nil
}

func (t *tool) Run(ctx context.Context, queue *drive.Queue, concurrency int, report func(drive.Answer)) error {
	verify := func(_ context.Context, address string) (drive.Verdict, error) {
		result, err := truemail.Validate(address, t.configuration)
		return verdict(result, err), err
	}
	return drive.RunEach(ctx, queue, concurrency, report, verify)
}

func verdict(result *truemail.ValidatorResult, err error) drive.Verdict {
	switch {
	case err != nil:
		return drive.Unknown
	case result.Success:
		return drive.Deliverable
	}
	return drive.Undeliverable
}

// Close has nothing to close: the library keeps nothing open.
func (t *tool) Close() error { return nil }
