package rcpt

import (
	"time"
)

// Result is the answer about one address. Programs decide by its fields and
// methods alone, which a missing [Result.Details] does not harm. Results are
// not compared with ==, so that fields can be added.
//
// Its JSON form is the verification record: the flags are 0 and 1, "result" is
// the Verdict, and "details" has the rest where there are Details. See
// [Result.Brief] for a form that a browser may be sent.
type Result struct {
	_ [0]func()

	Email      string  // the address that was verified, as given; see Details.Given
	Local      string  // the local-part as given; empty when the syntax is impossible; "user" in JSON
	Domain     string  // lower-case A-labels; empty when the syntax is impossible
	Verdict    Verdict // "result" in JSON
	Reason     Reason  // why the verdict was given; in JSON only with details
	Message    string  // for people
	Suggestion string  // the address that was probably meant; in JSON only with details
	AcceptAll  bool    // proven: the domain's mail host takes every address
	Role       bool    // a function, not a person: info@, postmaster@
	Free       bool    // the domain gives mailboxes to the public; "free_email" in JSON
	Disposable bool    // a throw-away service
	SpamTrap   bool    // known to exist only to catch senders
	// CheckedAt is when the verification began, to the millisecond. A
	// remembered result has the time of the first answer.
	CheckedAt time.Time
	// RetryAt is when asking again is worthwhile; zero: it is not.
	RetryAt time.Time
	// Details are for people, who want to see what the verdict rests on. They
	// are nil after [Result.WithoutDetails], and where a record without details
	// was read.
	Details *Details
}

// Details is what the verdict rests on. JSON has it in the record of the
// [Result], after its reason.
type Details struct {
	Given     string         // text from which the address was cleaned, if different
	Irregular []Irregularity // what the RFCs forbid, and living addresses have
	// Canonical is the same for all spellings of the address that reach one
	// mailbox by its provider's public rules; empty when the syntax is
	// impossible. It serves to find a person twice: mail goes to the Email.
	Canonical  string
	Provider   string        // of the mail hosts, if known
	MX         []MX          // see [Result.HasMX]
	CatchAll   CatchAllState // see [Result.CatchAll]
	Source     string        // the service whose result it is; empty: ours
	Matches    []Match
	SMTP       *SMTPAnswer // what decided; nil: no mail host was asked
	Transcript []Line
	Cached     bool          // the result was remembered
	Age        time.Duration // of a remembered result, since the answer; not in JSON
	Duration   time.Duration // to the millisecond
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
	Host     string      `json:"host"`
	IP       string      `json:"ip"`
	Phase    Phase       `json:"phase"`
	Kind     FailureKind `json:"kind,omitempty"` // of the failure; empty: it is a reply
	Code     int         `json:"code,omitempty"`
	Enhanced string      `json:"enhanced,omitempty"`
	Text     string      `json:"text,omitempty"`
	Rule     string      `json:"rule,omitempty"` // the rule by which the reply was read
}

// Irregularity is what is not as the RFCs have it about an address, or about
// the MX records of its domain. It proves nothing.
type Irregularity struct {
	// Reason is one lower_snake word: that of package address, or "mx_address"
	// or "mx_name" of an MX record.
	Reason string `json:"reason"`
	Detail string `json:"detail"` // for people, without a period
}

// WithoutDetails returns r without its details, for callers that do not show
// them.
func (r Result) WithoutDetails() Result {
	r.Details = nil
	return r
}

// CatchAll says whether the domain's mail host accepts every address, as far as
// that is known. [CatchAllUnknown] is also the state of a host that was not
// asked.
func (r Result) CatchAll() CatchAllState {
	switch {
	case r.AcceptAll:
		return CatchAllYes
	case r.Details == nil || r.Details.CatchAll == "":
		return CatchAllUnknown
	}
	return r.Details.CatchAll
}

// HasMX reports whether the domain has a mail host, and whether that is known:
// an outage of the DNS says nothing about the domain. The domain's own address
// counts as one where there is no MX record (RFC 5321 §5.1).
func (r Result) HasMX() (has, known bool) {
	switch r.Reason {
	case ReasonDomainNotFound, ReasonNoMailHost, ReasonNullMX:
		return false, true
	}
	has = len(r.Exchangers()) > 0 || r.Reason.EndsAt() == StepSMTP
	return has, has
}

// Exchangers returns the mail exchangers of the domain, the most preferred
// first; none if they are not known.
func (r Result) Exchangers() []MX {
	if r.Details == nil {
		return nil
	}
	return r.Details.MX
}

// The approximate sizes of what a result consists of, in octets. Texts whose
// length strangers choose are counted in addition.
const (
	resultCost = 1500
	lineCost   = 40 // of a line of the transcript, without its text
	mxCost     = 24 // of a mail exchanger, without its name
)

// Size is about how many octets it takes to remember the result.
//
// Experimental: it may change in any minor version.
func (r Result) Size() int {
	cost := resultCost + len(r.Email) + len(r.Local) + len(r.Suggestion)
	if r.Details == nil {
		return cost
	}
	cost += len(r.Details.Canonical)
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
