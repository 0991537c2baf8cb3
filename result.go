package rcpt

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Result is the answer about one address. Its JSON form is the verification
// record.
type Result struct {
	Email      string  // the address that was verified, as given; see Details.Given
	User       string  // the local-part as given; empty when the syntax is impossible
	Domain     string  // lower-case A-labels; empty when the syntax is impossible
	AcceptAll  bool    // proven: the domain's mail host takes every address
	Role       bool    // a function, not a person: info@, postmaster@
	FreeEmail  bool    // the domain gives mailboxes to the public
	Disposable bool    // a throw-away service
	SpamTrap   bool    // known to exist only to catch senders
	Success    bool    // false only when the verification itself could not be carried out
	Verdict    Verdict // "result" in JSON
	// Reason is why the verdict was given. It is also there without Details,
	// but in JSON only with them.
	Reason  Reason
	Message string // for people
	// Details are never nil in a result of a Verifier or of Decide; nil after
	// WithoutDetails, or if read from JSON without details.
	Details *Details
}

// Details is what the verdict rests on.
type Details struct {
	Reason     Reason         `json:"reason"`
	RetryAfter time.Duration  `json:"-"`                    // when worth retrying; "retry_after" in whole seconds
	Suggestion string         `json:"suggestion,omitempty"` // did you mean
	Given      string         `json:"given,omitempty"`      // text from which the address was cleaned, if different
	Irregular  []Irregularity `json:"irregular,omitempty"`  // what the RFCs forbid, and living addresses have
	Provider   string         `json:"provider,omitempty"`   // of the mail hosts, if known
	MX         []MX           `json:"mx,omitempty"`
	CatchAll   CatchAllState  `json:"catch_all"`
	Source     string         `json:"source,omitempty"` // the service whose result it is; empty: ours
	Matches    []Match        `json:"matches,omitempty"`
	SMTP       *SMTPAnswer    `json:"smtp,omitempty"`
	Transcript []smtp.Line    `json:"transcript,omitempty"`
	Cached     bool           `json:"cached"`
	CheckedAt  time.Time      `json:"checked_at"`
	Duration   time.Duration  `json:"-"` // "duration_ms", whole milliseconds
	Waited     time.Duration  `json:"-"` // of Duration, for sessions with mail hosts; not in JSON
}

// MX is a mail exchanger of the domain.
type MX struct {
	Host       string `json:"host"`
	Preference uint16 `json:"preference"`
}

// CatchAllState says whether the domain's mail host accepts every address.
type CatchAllState string

// The states of what is known about a domain's catch-all.
const (
	CatchAllYes     CatchAllState = "yes"
	CatchAllNo      CatchAllState = "no"
	CatchAllUnknown CatchAllState = "unknown"
)

// SMTPAnswer is the reply or the failure that decided.
type SMTPAnswer struct {
	Host     string     `json:"host"`
	IP       string     `json:"ip"`
	Phase    smtp.Phase `json:"phase"`
	Kind     smtp.Kind  `json:"kind,omitempty"` // of the failure; empty: it is a reply
	Code     int        `json:"code,omitempty"`
	Enhanced string     `json:"enhanced,omitempty"`
	Text     string     `json:"text,omitempty"`
	Rule     string     `json:"rule,omitempty"` // the rule by which the reply was read
}

// Irregularity is what is not as the RFCs have it about an address, or about
// the MX records of its domain. It proves nothing.
type Irregularity struct {
	// Reason is one lower_snake word: that of package address, or "mx_address"
	// or "mx_name" of an MX record.
	Reason string `json:"reason"`
	Detail string `json:"detail"` // for people, without a period
}

// record is what a Result is read from.
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
	Verdict    Verdict  `json:"result"`
	Message    string   `json:"message"`
	Details    *Details `json:"details,omitempty"`
}

// flag is a bool as JSON has it: 0 or 1.
type flag uint8

func (f *flag) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "1":
		*f = 1
	case "0":
		*f = 0
	default:
		return fmt.Errorf("flag %s is neither 0 nor 1", data)
	}
	return nil
}

// UnmarshalJSON reads a verification record.
func (r *Result) UnmarshalJSON(data []byte) error {
	var in record
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = Result{
		Email: in.Email, User: in.User, Domain: in.Domain,
		AcceptAll: in.AcceptAll != 0, Role: in.Role != 0, FreeEmail: in.FreeEmail != 0,
		Disposable: in.Disposable != 0, SpamTrap: in.SpamTrap != 0,
		Success: in.Success, Verdict: in.Verdict, Message: in.Message, Details: in.Details,
	}
	if in.Details != nil {
		r.Reason = in.Details.Reason
	}
	return nil
}

// WithoutDetails returns r without its details, for callers that did not ask
// for them. The Reason stays.
func (r Result) WithoutDetails() Result {
	r.Details = nil
	return r
}

// The approximate sizes of what a result consists of, in octets. Texts whose
// length strangers choose are counted in addition.
const (
	resultCost = 1500
	lineCost   = 40 // of a line of the transcript, without its text
	mxCost     = 24 // of a mail exchanger, without its name
)

// Size is about how many octets it takes to remember the result.
func (r Result) Size() int {
	cost := resultCost + len(r.Email) + len(r.User)
	if r.Details == nil {
		return cost
	}
	cost += len(r.Details.Suggestion)
	if r.Details.SMTP != nil {
		cost += len(r.Details.SMTP.Text)
	}
	for _, irregular := range r.Details.Irregular {
		cost += mxCost + len(irregular.Detail)
	}
	for _, exchanger := range r.Details.MX {
		cost += mxCost + len(exchanger.Host)
	}
	for _, line := range r.Details.Transcript {
		cost += lineCost + len(line.Text)
	}
	return cost
}
