package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Options are the options of a verification. The zero value is valid.
type Options struct {
	Details    bool // with [Verification.Details]
	Transcript bool // with [Details.Transcript] too
	// verify the address that a text contains, as in
	// "Jane <jane@acme.example>"; [Details.Given] has the text
	Clean   bool
	Fresh   bool          // ask the mail host even if a result is remembered
	Timeout time.Duration // of the verification; zero: the service's, which it can only shorten
}

// values are the options as parameters of a query.
func (o Options) values() url.Values {
	query := url.Values{"details": {"0"}}
	for name, on := range map[string]bool{
		"details": o.Details || o.Transcript, "transcript": o.Transcript, "clean": o.Clean, "fresh": o.Fresh,
	} {
		if on {
			query.Set(name, "1")
		}
	}
	if o.Timeout > 0 {
		query.Set("timeout", timeoutText(o.Timeout))
	}
	return query
}

// timeoutText is a timeout as the service reads it: seconds, or milliseconds if
// they are 1,000 or more.
func timeoutText(timeout time.Duration) string {
	if seconds := timeout.Seconds(); seconds < milliseconds {
		return strconv.FormatFloat(seconds, 'f', -1, 64)
	}
	return strconv.FormatInt(timeout.Milliseconds(), 10)
}

// milliseconds is the least timeout that the service takes for milliseconds.
const milliseconds = 1000

// Verify verifies an address. The error is non-nil only if there is no result;
// it is an *[Error] if the service responded.
func (c *Client) Verify(ctx context.Context, email string, options Options) (Verification, error) {
	query := options.values()
	query.Set("email", email)
	var v Verification
	err := c.get(ctx, "api/v1/verify", query, &v)
	return v, err
}

// maxAddresses is how many addresses a request may have.
const maxAddresses = 100

// VerifyAll is [Client.Verify] for up to 100 addresses in one request; the
// results are in the same order. The addresses are in the body, so that proxies
// do not log them. The timeout of Options is for all of them.
func (c *Client) VerifyAll(ctx context.Context, emails []string, options Options) ([]Verification, error) {
	if len(emails) == 0 || len(emails) > maxAddresses {
		return nil, fmt.Errorf("rcpt: %d addresses: give 1 to %d at a time", len(emails), maxAddresses)
	}
	body, err := json.Marshal(map[string][]string{"emails": emails})
	if err != nil {
		return nil, err
	}
	var out struct{ Results []Verification }
	if err := c.ask(ctx, http.MethodPost, "api/v1/verify", options.values(), body, &out); err != nil {
		return nil, err
	}
	if len(out.Results) != len(emails) {
		return nil, fmt.Errorf("%w: %d results for %d addresses", errAnswer, len(out.Results), len(emails))
	}
	return out.Results, nil
}

// Verification is the result for an address. Its JSON form is the record of the
// service.
type Verification struct {
	Email      string // that was verified
	User       string // its local-part; empty if the syntax is invalid
	Domain     string // lower-case A-labels; empty if the syntax is invalid
	AcceptAll  bool   // the domain is proven to accept mail for every address
	Role       bool   // for a function, not a person: info@, postmaster@
	FreeEmail  bool   // the domain offers mailboxes to the public
	Disposable bool   // from a service for disposable addresses
	SpamTrap   bool   // a known spam trap
	// false only if the verification could not be carried out; Verdict is then
	// Unknown
	Success bool
	Verdict Verdict  // "result" in JSON
	Message string   // for people
	Details *Details // nil: not asked for
}

// record is a Verification as JSON has it.
type record struct {
	Email      string   `json:"email"`
	User       string   `json:"user"`
	Domain     string   `json:"domain"`
	AcceptAll  flag     `json:"accept_all"`
	Role       flag     `json:"role"`
	FreeEmail  flag     `json:"free_email"`
	Disposable flag     `json:"disposable"`
	SpamTrap   flag     `json:"spamtrap"`
	Success    bool     `json:"success"`
	Result     Verdict  `json:"result"`
	Message    string   `json:"message"`
	Details    *Details `json:"details,omitempty"`
}

// MarshalJSON writes the record as the service does.
func (v Verification) MarshalJSON() ([]byte, error) {
	return json.Marshal(record{
		Email: v.Email, User: v.User, Domain: v.Domain, AcceptAll: flag(v.AcceptAll), Role: flag(v.Role),
		FreeEmail: flag(v.FreeEmail), Disposable: flag(v.Disposable), SpamTrap: flag(v.SpamTrap),
		Success: v.Success, Result: v.Verdict, Message: v.Message, Details: v.Details,
	})
}

// UnmarshalJSON reads the record.
func (v *Verification) UnmarshalJSON(data []byte) error {
	var in record
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*v = Verification{
		Email: in.Email, User: in.User, Domain: in.Domain, AcceptAll: bool(in.AcceptAll), Role: bool(in.Role),
		FreeEmail: bool(in.FreeEmail), Disposable: bool(in.Disposable), SpamTrap: bool(in.SpamTrap),
		Success: in.Success, Verdict: in.Result, Message: in.Message, Details: in.Details,
	}
	return nil
}

// flag is a bool that JSON shows as 0 or 1.
type flag bool

// MarshalJSON writes 0 or 1.
func (f flag) MarshalJSON() ([]byte, error) {
	if f {
		return []byte("1"), nil
	}
	return []byte("0"), nil
}

// UnmarshalJSON reads 0 or 1.
func (f *flag) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "1":
		*f = true
	case "0":
		*f = false
	default:
		return fmt.Errorf("flag %s is neither 0 nor 1", data)
	}
	return nil
}

// Verdict is the answer to "can this address receive mail?".
type Verdict string

// The verdicts.
const (
	VerdictDeliverable   Verdict = "deliverable"   // the mail host accepts this mailbox and refuses unknown ones
	VerdictUndeliverable Verdict = "undeliverable" // proven: no such mailbox, or no way to deliver to its domain
	VerdictAcceptAll     Verdict = "accept-all"    // the mail host accepts every mailbox of the domain
	VerdictUnknown       Verdict = "unknown"       // not proven either way; the reason says why
)

// Irregularity is what the RFCs forbid about an address, or about the MX
// records of its domain. It is no reason of the verdict: mail hosts serve such
// addresses.
type Irregularity struct {
	Reason string `json:"reason"` // one lower_snake word
	Detail string `json:"detail"` // in words
}

// Details are the facts behind a verdict.
type Details struct {
	// Reason is one lower_snake word of a set that the service's /docs lists.
	Reason string `json:"reason"`
	// RetryAfter is after what time a new verification is worthwhile; zero: it
	// is not. In JSON it is "retry_after", in whole seconds.
	RetryAfter time.Duration  `json:"-"`
	Suggestion string         `json:"suggestion,omitempty"` // did you mean
	Given      string         `json:"given,omitempty"`      // text from which the address was cleaned, if different
	Irregular  []Irregularity `json:"irregular,omitempty"`  // what the RFCs forbid, and living addresses have
	Provider   string         `json:"provider,omitempty"`   // of the mail hosts, if known
	MX         []MX           `json:"mx,omitempty"`
	CatchAll   string         `json:"catch_all"`        // yes, no or unknown
	Source     string         `json:"source,omitempty"` // the other service whose result it is; empty: none
	Matches    []Match        `json:"matches,omitempty"`
	SMTP       *SMTPAnswer    `json:"smtp,omitempty"`
	Transcript []Line         `json:"transcript,omitempty"`
	Cached     bool           `json:"cached"`
	CheckedAt  time.Time      `json:"checked_at"`
	Duration   time.Duration  `json:"-"` // "duration_ms", whole milliseconds
}

// detailsJSON is Details as JSON has them, in the order of their fields.
type detailsJSON struct {
	Reason     string `json:"reason"` // in place of the one below
	RetryAfter int64  `json:"retry_after,omitempty"`
	*plainDetails
	DurationMS int64 `json:"duration_ms"`
}

type plainDetails Details

// MarshalJSON writes the details as the service does.
func (d Details) MarshalJSON() ([]byte, error) {
	seconds := int64((d.RetryAfter + time.Second - 1) / time.Second)
	return json.Marshal(detailsJSON{d.Reason, seconds, (*plainDetails)(&d), d.Duration.Milliseconds()})
}

// UnmarshalJSON reads the details.
func (d *Details) UnmarshalJSON(data []byte) error {
	in := detailsJSON{plainDetails: (*plainDetails)(d)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	d.Reason = in.Reason
	d.RetryAfter = time.Duration(in.RetryAfter) * time.Second
	d.Duration = time.Duration(in.DurationMS) * time.Millisecond
	return nil
}

// MX is a mail exchanger of the domain.
type MX struct {
	Host       string `json:"host"`
	Preference uint16 `json:"preference"`
}

// Match is an entry of a list that the address or its mail hosts match.
type Match struct {
	List       string `json:"list"`
	Entry      string `json:"entry"`
	Source     string `json:"source"`
	Group      string `json:"group,omitempty"`
	Confidence string `json:"confidence,omitempty"`
}

// SMTPAnswer is the reply or the failure that decided.
type SMTPAnswer struct {
	Host     string `json:"host"`
	IP       string `json:"ip"`
	Phase    string `json:"phase"`
	Kind     string `json:"kind,omitempty"` // of the failure; empty: it is a reply
	Code     int    `json:"code,omitempty"` // zero: a failure
	Enhanced string `json:"enhanced,omitempty"`
	Text     string `json:"text,omitempty"`
	Rule     string `json:"rule,omitempty"` // that classified the reply
}

// Line is a line of an SMTP session.
type Line struct {
	From string        `json:"from"` // C: the client, S: the server, *: a remark
	Text string        `json:"text"`
	At   time.Duration `json:"-"` // since the session began; "at_ms", whole milliseconds
}

// lineJSON is Line as JSON has it.
type lineJSON struct {
	*plainLine
	AtMS int64 `json:"at_ms"`
}

type plainLine Line

// MarshalJSON writes the line as the service does.
func (l Line) MarshalJSON() ([]byte, error) {
	return json.Marshal(lineJSON{(*plainLine)(&l), l.At.Milliseconds()})
}

// UnmarshalJSON reads the line.
func (l *Line) UnmarshalJSON(data []byte) error {
	in := lineJSON{plainLine: (*plainLine)(l)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	l.At = time.Duration(in.AtMS) * time.Millisecond
	return nil
}
