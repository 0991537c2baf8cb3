package rcpt_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/enginetest"
)

// errLater means that a message is to be tried again: nothing is known of its
// address.
var errLater = errors.New("try again later")

// mailer sends messages to addresses that are not proven to be dead. Its
// verifier is an engine, a client of the service, or a stub.
type mailer struct {
	verifier rcpt.Verifier
	send     func(to string) error
}

func (m mailer) deliver(ctx context.Context, to string) error {
	result, err := m.verifier.Verify(ctx, to)
	switch {
	case err != nil: // ctx ended, or too many wait for the mail host
		return fmt.Errorf("%w: %w", errLater, err)
	case result.Reason.About() == rcpt.AboutUs: // our network, or what mail hosts think of us
		return fmt.Errorf("%w: %s", errLater, result.Reason)
	case result.Verdict == rcpt.VerdictUndeliverable:
		return fmt.Errorf("%s: %s", to, result.Message)
	}
	return m.send(to)
}

// stub has the reasons of some addresses, for tests.
type stub map[string]rcpt.Reason

func (s stub) Verify(_ context.Context, email string) (rcpt.Result, error) {
	return enginetest.Result(email, s[email]), nil
}

// A mailer holds a message back where the fault is ours, and gives it up only
// where the address is proven to be dead.
func ExampleReason_About() {
	m := mailer{send: func(to string) error { fmt.Println("sent to", to); return nil }}
	m.verifier = stub{
		"ann@example.org": rcpt.ReasonRecipientAccepted, "bob@example.org": rcpt.ReasonMailboxNotFound,
		"cat@example.org": rcpt.ReasonPortBlocked, "dan@example.org": rcpt.ReasonMailboxFull,
	}
	for _, to := range []string{"ann@example.org", "bob@example.org", "cat@example.org", "dan@example.org"} {
		if err := m.deliver(context.Background(), to); errors.Is(err, errLater) {
			fmt.Println("kept for later:", err)
		} else if err != nil {
			fmt.Println("given up:", err)
		}
	}
	// Output:
	// sent to ann@example.org
	// given up: bob@example.org: The mail host says that the mailbox does not exist.
	// kept for later: try again later: port_blocked
	// sent to dan@example.org
}
