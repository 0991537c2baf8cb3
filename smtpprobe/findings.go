package smtpprobe

import (
	"encoding/json"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/internal/sys/plainjson"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Findings is what the mail hosts said about a recipient: facts only, no
// verdict.
type Findings struct {
	// Sessions are the sessions tried, in order. Only the last can have an
	// answer to RCPT.
	Sessions []Session `json:"sessions"`
	// Waited is the time, in whole milliseconds, that the probe waited for free
	// sessions, which does not count against its budget. JSON has it as
	// "waited_ms".
	Waited time.Duration `json:"-"`
}

// findingsJSON is Findings as JSON has them.
type findingsJSON struct {
	*plainFindings
	WaitedMS int64 `json:"waited_ms,omitempty"`
}

type plainFindings Findings

// MarshalJSON writes the findings. Whether <, > and & are escaped is left to
// the encoder.
func (f Findings) MarshalJSON() ([]byte, error) {
	return plainjson.Marshal(findingsJSON{(*plainFindings)(&f), f.Waited.Milliseconds()})
}

// UnmarshalJSON reads the findings.
func (f *Findings) UnmarshalJSON(data []byte) error {
	in := findingsJSON{plainFindings: (*plainFindings)(f)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	f.Waited = time.Duration(in.WaitedMS) * time.Millisecond
	return nil
}

// Session is what one connection to one address of one mail host was to the
// recipient. Others may have shared it; the transcript has only what concerns
// this one. A nil reply was not given, or its command not sent. Where the
// session is one that failed before, and was not tried again, the transcript
// ends with a remark that says so.
type Session struct {
	Host       string         `json:"host"`
	Addr       netip.AddrPort `json:"addr"`
	Egress     string         `json:"egress,omitempty"`     // the name of the way out, where it was chosen
	MailFrom   string         `json:"mail_from,omitempty"`  // the reverse-path, where it is that of the egress
	TLS        string         `json:"tls,omitempty"`        // protocol version once STARTTLS succeeded: "TLS 1.3"
	Extensions []string       `json:"extensions,omitempty"` // EHLO keywords, upper-case
	Greeting   *smtp.Reply    `json:"greeting,omitempty"`
	EHLO       *smtp.Reply    `json:"ehlo,omitempty"` // the reply to HELO where EHLO was refused
	STARTTLS   *smtp.Reply    `json:"starttls,omitempty"`
	// Shunned are extensions that the host offers and that were not used, as a
	// session with it had ended on their trial, an hour before at most.
	Shunned []string    `json:"shunned,omitempty"`
	MAIL    *smtp.Reply `json:"mail,omitempty"`
	Target  *smtp.Reply `json:"target,omitempty"`  // to RCPT TO:<the address>
	Control *smtp.Reply `json:"control,omitempty"` // to RCPT TO:<a random mailbox beside it>
	// Behind is the reply to RCPT TO:<a mailbox that the host had accepted>,
	// named once more in a transaction behind that of Control. It is asked for
	// where Control is a refusal for good that does not say why: if Behind is
	// an acceptance, that was about the mailbox and not about the session.
	Behind *smtp.Reply `json:"behind,omitempty"`
	// ControlShared is set when Control, with Behind, was the answer to an
	// earlier probe of the same domain by the same host, at most ten minutes
	// before. Two probes in one transaction share one control, too; it is not
	// set then.
	ControlShared bool `json:"control_shared,omitempty"`
	// Unproven is set when Target is a refusal that does not count: the host
	// accepted nobody after it, not even a mailbox that it had accepted before
	// or, where there is none, postmaster. Hosts that protect themselves
	// against harvesting refuse everybody after a while.
	Unproven bool `json:"unproven,omitempty"`
	// Trial is the extension, STARTTLS or PIPELINING, that was in use, and had
	// not proved yet to work, when the session ended. Nothing that was said
	// about recipients is believed; the host is asked once more without it.
	Trial string `json:"trial,omitempty"`
	// Recipients is the number of recipients, targets of others and controls,
	// that were named in the session before the target.
	Recipients int           `json:"recipients,omitempty"`
	Failure    *smtp.Failure `json:"failure,omitempty"` // what ended the session before all was answered
	Transcript []smtp.Line   `json:"transcript,omitempty"`
}
