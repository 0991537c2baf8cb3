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

// Options say how to verify an address. The zero Options are fine.
type Options struct {
	Details    bool // with [Verification.Details]
	Transcript bool // with [Details.Transcript] too
	// verify the address that a text means, as in "Jane <jane@acme.example>";
	// [Details.Given] has the text
	Clean   bool
	Fresh   bool          // ask the mail host even where a result is remembered
	Timeout time.Duration // that the service may take; zero: as long as it usually does. It can only shorten that
}

// values are the options as parameters of a query.
func (o Options) values() url.Values {
	query := url.Values{"details": {"0"}}
	for name, on := range map[string]bool{"details": o.Details || o.Transcript, "transcript": o.Transcript, "clean": o.Clean, "fresh": o.Fresh} {
		if on {
			query.Set(name, "1")
		}
	}
	if o.Timeout > 0 {
		query.Set("timeout", strconv.FormatFloat(o.Timeout.Seconds(), 'f', -1, 64))
	}
	return query
}

// Verify tells whether an address can receive mail. The error is non-nil only
// when there is no answer; it is an *[Error] where the service said why.
func (c *Client) Verify(ctx context.Context, email string, options Options) (Verification, error) {
	query := options.values()
	query.Set("email", email)
	var v Verification
	err := c.get(ctx, "api/v1/verify", query, &v)
	return v, err
}

// MaxAddresses is how many addresses [Client.VerifyAll] takes.
const MaxAddresses = 100

// VerifyAll is [Client.Verify] for up to [MaxAddresses] addresses in one
// request; the answers are in their order. The addresses are in the body, which
// logs of proxies do not show. The time of Options is that of all.
func (c *Client) VerifyAll(ctx context.Context, emails []string, options Options) ([]Verification, error) {
	if len(emails) == 0 || len(emails) > MaxAddresses {
		return nil, fmt.Errorf("rcpt: %d addresses: give 1 to %d at a time", len(emails), MaxAddresses)
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

// Verification is what was found out about an address. Its JSON form is the
// record of the service.
type Verification struct {
	Email      string // that was verified
	User       string // its local-part; empty when the address has no parts to show
	Domain     string // lower-case A-labels; empty when the address has no parts to show
	AcceptAll  bool   // proven: the domain takes mail for every address
	Role       bool   // a function, not a person: info@, postmaster@
	FreeEmail  bool   // the domain gives mailboxes to the public
	Disposable bool   // a throw-away service
	SpamTrap   bool   // known to exist only to catch senders
	// false only when the verification itself could not be carried out; Result
	// is then Unknown
	Success bool
	Result  Verdict
	Message string   // for people
	Details *Details // nil: not asked for
}

// record is a Verification as JSON has it.
type record struct {
	Email string `json:"email"`
	*parts
	Success bool     `json:"success"`
	Result  Verdict  `json:"result"`
	Message string   `json:"message"`
	Details *Details `json:"details,omitempty"`
}

// parts are what the record of an address without parts has not.
type parts struct {
	User       string `json:"user"`
	Domain     string `json:"domain"`
	AcceptAll  flag   `json:"accept_all"`
	Role       flag   `json:"role"`
	FreeEmail  flag   `json:"free_email"`
	Disposable flag   `json:"disposable"`
	SpamTrap   flag   `json:"spamtrap"`
}

// MarshalJSON writes the record as the service does.
func (v Verification) MarshalJSON() ([]byte, error) {
	out := record{Email: v.Email, Success: v.Success, Result: v.Result, Message: v.Message, Details: v.Details}
	if v.User != "" || v.Domain != "" {
		out.parts = &parts{
			User: v.User, Domain: v.Domain, AcceptAll: flag(v.AcceptAll), Role: flag(v.Role),
			FreeEmail: flag(v.FreeEmail), Disposable: flag(v.Disposable), SpamTrap: flag(v.SpamTrap),
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the record.
func (v *Verification) UnmarshalJSON(data []byte) error {
	in := record{parts: new(parts)}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*v = Verification{
		Email: in.Email, User: in.User, Domain: in.Domain, AcceptAll: bool(in.AcceptAll), Role: bool(in.Role),
		FreeEmail: bool(in.FreeEmail), Disposable: bool(in.Disposable), SpamTrap: bool(in.SpamTrap),
		Success: in.Success, Result: in.Result, Message: in.Message, Details: in.Details,
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
	Deliverable   Verdict = "deliverable"   // the mail host takes mail for this mailbox, and not for just any
	Undeliverable Verdict = "undeliverable" // proven: no such mailbox, or no way to deliver to its domain
	AcceptAll     Verdict = "accept-all"    // the mail host takes mail for every mailbox of the domain
	Unknown       Verdict = "unknown"       // not proven either way; the reason says why
)

// Details is what a verdict rests on.
type Details struct {
	Reason     string    `json:"reason"`                // one lower_snake word of a set that the service's /docs lists
	RetryAfter int64     `json:"retry_after,omitempty"` // seconds after which asking again is worth it; zero: it is not
	Suggestion string    `json:"suggestion,omitempty"`  // did you mean
	Given      string    `json:"given,omitempty"`       // text from which the address was cleaned, if different
	Provider   string    `json:"provider,omitempty"`    // of the mail hosts, if known
	MX         []MX      `json:"mx,omitempty"`
	CatchAll   string    `json:"catch_all"` // yes, no or unknown
	Matches    []Match   `json:"matches,omitempty"`
	SMTP       *SMTP     `json:"smtp,omitempty"`
	Transcript []Line    `json:"transcript,omitempty"`
	Cached     bool      `json:"cached"`
	CheckedAt  time.Time `json:"checked_at"`
	DurationMS int64     `json:"duration_ms"`
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

// SMTP is the reply or the failure that decided.
type SMTP struct {
	Host     string `json:"host"`
	IP       string `json:"ip"`
	Phase    string `json:"phase"`
	Code     int    `json:"code,omitempty"` // zero: a failure
	Enhanced string `json:"enhanced,omitempty"`
	Text     string `json:"text,omitempty"`
	Rule     string `json:"rule,omitempty"` // by which the reply was read
}

// Line is a line of an SMTP session.
type Line struct {
	From string `json:"from"` // C: the client, S: the server, *: a remark
	Text string `json:"text"`
	AtMS int64  `json:"at_ms"` // since the session began
}
