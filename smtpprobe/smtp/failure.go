package smtp

import (
	"encoding/json"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/plainjson"
)

// Phase is a step of an SMTP session.
type Phase = rcpt.Phase

// The phases, in the order in which a session goes through them.
const (
	PhaseConnect  Phase = "connect"
	PhaseGreeting Phase = "greeting"
	PhaseEHLO     Phase = "ehlo" // HELO too
	PhaseSTARTTLS Phase = "starttls"
	PhaseMAIL     Phase = "mail"
	PhaseRCPT     Phase = "rcpt"
	// PhaseDATA is that of DATA and of the message itself. A verification sends
	// neither: it is for programs that read bounces.
	PhaseDATA Phase = "data"
	PhaseQUIT Phase = "quit"
)

// Kind says in which way a session failed.
type Kind = rcpt.FailureKind

// The ways in which a session fails below SMTP or against its rules.
const (
	KindRefused     Kind = "refused"     // connection refused
	KindUnreachable Kind = "unreachable" // no route to the host or network, or any other failure to connect
	KindTimeout     Kind = "timeout"     // no reply within the phase's or the whole verification's time
	KindClosed      Kind = "closed"      // the server hung up
	KindReset       Kind = "reset"       // the connection was reset
	KindTLS         Kind = "tls"         // STARTTLS was agreed on and failed
	KindProtocol    Kind = "protocol"    // not SMTP, replies out of step, too long a line or reply
	KindSMTPUTF8    Kind = "smtputf8"    // the local-part needs SMTPUTF8 and the server does not offer it
	KindCancelled   Kind = "cancelled"   // the caller gave up
	KindEgress      Kind = "egress"      // one of our egresses failed: says nothing about the host
	KindTurned      Kind = "turned"      // not asked: the host refuses even mailboxes that it accepted before
	KindPaused      Kind = "paused"      // not asked: the provider has blocked us for several domains in a row
	KindLimited     Kind = "limited"     // not asked in time: our limits for the host or its provider, or its own
)

// Failure is the end of a session that did not get its answer.
type Failure struct {
	Phase Phase  `json:"phase"`
	Kind  Kind   `json:"kind"`
	Text  string `json:"text,omitempty"`
	// RetryAfter is how long to wait before the next try, where that is known.
	// JSON has it in seconds.
	RetryAfter time.Duration `json:"-"`
}

// failureJSON is a Failure as JSON has it.
type failureJSON struct {
	*plainFailure
	RetryAfter int64 `json:"retry_after,omitempty"` // seconds
}

type plainFailure Failure

// MarshalJSON writes the failure; RetryAfter is rounded up to a second. Whether
// <, > and & are escaped is left to the encoder.
func (f Failure) MarshalJSON() ([]byte, error) {
	return plainjson.Marshal(failureJSON{(*plainFailure)(&f), int64((f.RetryAfter + time.Second - 1) / time.Second)})
}

// UnmarshalJSON reads the failure.
func (f *Failure) UnmarshalJSON(data []byte) error {
	in := failureJSON{plainFailure: (*plainFailure)(f)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	f.RetryAfter = time.Duration(in.RetryAfter) * time.Second
	return nil
}

func (f *Failure) Error() string { return string(f.Phase) + ": " + string(f.Kind) + ": " + f.Text }
