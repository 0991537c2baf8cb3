package smtpprobe

import "net/netip"

// Phase is a step of an SMTP session.
type Phase string

// The phases, in the order in which a session goes through them.
const (
	PhaseConnect  Phase = "connect"
	PhaseGreeting Phase = "greeting"
	PhaseEHLO     Phase = "ehlo" // HELO too
	PhaseSTARTTLS Phase = "starttls"
	PhaseMAIL     Phase = "mail"
	PhaseRCPT     Phase = "rcpt"
	PhaseQUIT     Phase = "quit"
)

// Findings is what the mail hosts said about a recipient: facts only, no verdict.
type Findings struct {
	// Sessions are the sessions tried, in order. Only the last can have an answer to RCPT.
	Sessions []Session `json:"sessions"`
}

// Session is what one connection to one address of one mail host was to the recipient. Others may have shared it; the transcript has only what
// concerns this one. A nil reply was not given, or its command not sent. Where the session is one that failed before, and was not tried again, the
// transcript ends with a remark that says so.
type Session struct {
	Host       string         `json:"host"`
	Addr       netip.AddrPort `json:"addr"`
	Egress     string         `json:"egress,omitempty"`     // the name of the way out, where it was chosen
	TLS        string         `json:"tls,omitempty"`        // protocol version once STARTTLS succeeded: "TLS 1.3"
	Extensions []string       `json:"extensions,omitempty"` // EHLO keywords, upper-case
	Greeting   *Reply         `json:"greeting,omitempty"`
	EHLO       *Reply         `json:"ehlo,omitempty"` // the reply to HELO where EHLO was refused
	STARTTLS   *Reply         `json:"starttls,omitempty"`
	MAIL       *Reply         `json:"mail,omitempty"`
	Target     *Reply         `json:"target,omitempty"`  // to RCPT TO:<the address>
	Control    *Reply         `json:"control,omitempty"` // to RCPT TO:<a random mailbox beside it>
	// ControlShared is set when Control was the answer to an earlier probe of the same domain by the same host, at most ten minutes before. Two
	// probes in one transaction share one control, too; that is not told.
	ControlShared bool `json:"control_shared,omitempty"`
	// Recipients is the number of recipients, targets of others and controls, that were named in the session before the target.
	Recipients int      `json:"recipients,omitempty"`
	Failure    *Failure `json:"failure,omitempty"` // what ended the session before all was answered
	Transcript []Line   `json:"transcript,omitempty"`
}

// Reply is one SMTP reply (RFC 5321 §4.2).
type Reply struct {
	Code int `json:"code"`
	// Enhanced is the enhanced status code (RFC 2034, RFC 3463) as the server sent it, without a "#": "5.1.1"; empty when there is none.
	Enhanced string `json:"enhanced,omitempty"`
	// Lines are the texts of the reply's lines without reply code and enhanced code, valid UTF-8, bounded in number and length.
	Lines []string `json:"lines,omitempty"`
}

// Kind says in which way a session failed.
type Kind string

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
	KindEgress      Kind = "egress"      // our own way out, a proxy or a source address, failed: no word on the host
	KindPaused      Kind = "paused"      // not asked: the provider has blocked us for several domains in a row
)

// Failure is the end of a session that did not get its answer.
type Failure struct {
	Phase Phase  `json:"phase"`
	Kind  Kind   `json:"kind"`
	Text  string `json:"text,omitempty"`
	// RetryAfter is when to try again, in seconds, where that is known.
	RetryAfter int64 `json:"retry_after,omitempty"`
}

func (f *Failure) Error() string { return string(f.Phase) + ": " + string(f.Kind) + ": " + f.Text }

// Line is one line of a transcript.
type Line struct {
	// From is "C" for the client, "S" for the server, "*" for a remark of the prober (connected, TLS established, failure).
	From string `json:"from"`
	Text string `json:"text"`
	// AtMS is milliseconds since the session began.
	AtMS int64 `json:"at_ms"`
}
