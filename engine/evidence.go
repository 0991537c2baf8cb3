package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/sys/plainjson"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// EvidenceSchema is the version of the [Evidence] that this package writes. It
// goes up when a field changes its meaning, or when a new one changes that of
// another, so that an earlier version of this package would judge the evidence
// wrongly. A field that may be ignored does not raise it. Every version up to
// this one can be read.
const EvidenceSchema = 1

// ErrSchema means that evidence was written by a later version of this package,
// or is none. This version would misjudge it.
var ErrSchema = errors.New("engine: the schema of the evidence is unknown")

// Evidence is all that was learned about one address: facts only, bounded, fit
// to be stored as JSON and judged again. What is nil was not asked. Its JSON is
// promised: a later version reads and judges what an earlier one wrote.
type Evidence struct {
	// Schema is the [EvidenceSchema] of the version that wrote it. Evidence of
	// a later version cannot be read from JSON ([ErrSchema]), and [Decide]
	// gives [rcpt.ReasonInternalError] for it.
	Schema int `json:"schema"`
	// Email is the address as given, with ill-formed UTF-8 replaced, and cut if
	// it is far too long for a mailbox.
	Email string `json:"email"`
	// Local and Domain are the parts of the address, unless it can be put to no
	// mail host: the local-part as given, the domain in lower-case A-labels.
	Local  string `json:"local,omitempty"`
	Domain string `json:"domain,omitempty"`
	// Mailbox is the address as RCPT TO names it.
	Mailbox string `json:"mailbox,omitempty"`
	// MailFrom is the reverse-path that was used; empty: the null reverse-path.
	MailFrom string `json:"mail_from,omitempty"`
	// Syntax is why the address can be put to no mail host.
	Syntax *address.Error `json:"syntax,omitempty"`
	// Irregular is what the grammar forbids about an address that can be put to
	// one all the same ([address.Read]).
	Irregular []address.Error `json:"irregular,omitempty"`
	// Level is how deep the verification was to look.
	Level   Level         `json:"level"`
	Matches []lists.Match `json:"matches,omitempty"`
	// Suggestion is the address that was probably meant, if the domain looks
	// like a mistyped one of a big provider, or one slip of the keyboard keeps
	// the text from being an address there.
	Suggestion string `json:"suggestion,omitempty"`
	// DNS is what the DNS answered about the domain.
	//
	// Experimental: the Go type may change in any minor version; its JSON is
	// promised.
	DNS *dnsresolve.Findings `json:"dns,omitempty"`
	// RHSBL is what the lists of domains in the DNS answered, in the order of
	// the configuration. A list that rests after a failure is missing.
	//
	// Experimental: the Go type may change in any minor version; its JSON is
	// promised.
	RHSBL []rhsbl.Answer `json:"rhsbl,omitempty"`
	// SMTP is what the mail hosts answered.
	//
	// Experimental: the Go type may change in any minor version; its JSON is
	// promised.
	SMTP *smtpprobe.Findings `json:"smtp,omitempty"`
	// NotAsked are the rules of [Config.NoAsk] that kept mail hosts from being
	// asked. Beside SMTP they concern some of the domain's only.
	NotAsked []NotAsked `json:"not_asked,omitempty"`
	// Network is what is wrong with our own network, if that may explain what
	// the DNS or the mail hosts answered. Nil: nothing is known to be wrong.
	Network *NetworkFacts `json:"network,omitempty"`
	// Fault is why the verification itself could not be carried out.
	Fault string `json:"fault,omitempty"`
	// FaultReason is the reason that goes with Fault: [rcpt.ReasonUnfinished],
	// [rcpt.ReasonBusy], [rcpt.ReasonClosed] or [rcpt.ReasonNotYet]; empty:
	// [rcpt.ReasonInternalError].
	FaultReason rcpt.Reason `json:"fault_reason,omitempty"`
	// Allowed is how long the DNS and the mail hosts had together, to the
	// millisecond: a host that was silent for less may answer a caller with
	// more time. The wait of an address of a list for a session is not in it.
	// JSON has it as "allowed_ms". Zero: an earlier version wrote the evidence.
	Allowed time.Duration `json:"-"`
	// StartedAt is when gathering began, to the millisecond.
	StartedAt time.Time `json:"started_at"`
	// Duration is how long gathering took, to the millisecond. JSON has it as
	// "duration_ms".
	Duration time.Duration `json:"-"`
}

// UnmarshalJSON reads evidence, unless a later version wrote it ([ErrSchema]).
func (e *Evidence) UnmarshalJSON(data []byte) error {
	in := evidenceJSON{plainEvidence: &plainEvidence{}}
	fault := json.Unmarshal(data, &in)
	if in.Schema > EvidenceSchema || fault == nil && in.Schema < 1 { // a later version may have other types, too
		return fmt.Errorf("%w: %d, and this version knows 1 to %d", ErrSchema, in.Schema, EvidenceSchema)
	}
	if fault != nil {
		return fault
	}
	*e = Evidence(*in.plainEvidence)
	e.Duration = time.Duration(in.DurationMS) * time.Millisecond
	e.Allowed = time.Duration(in.AllowedMS) * time.Millisecond
	return nil
}

// MarshalJSON writes evidence.
func (e Evidence) MarshalJSON() ([]byte, error) {
	return plainjson.Marshal(evidenceJSON{(*plainEvidence)(&e), e.Allowed.Milliseconds(), e.Duration.Milliseconds()})
}

// evidenceJSON is Evidence as JSON has it.
type evidenceJSON struct {
	*plainEvidence
	AllowedMS  int64 `json:"allowed_ms,omitempty"`
	DurationMS int64 `json:"duration_ms"`
}

type plainEvidence Evidence
