package rcpt

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/internal/sys/plainjson"
)

// recordOctets is what a record without details takes up besides its texts.
const recordOctets = 160

// MarshalJSON returns the verification record, with the details if the result
// has them. A record has all its fields, "" and 0 where there is nothing to
// say. The outcome is the same as that of encoding/json, which takes six times
// as long: a server that answers from memory spends most of its time here.
func (r Result) MarshalJSON() ([]byte, error) {
	text := make([]byte, 0, recordOctets+len(r.Email)+len(r.Local)+len(r.Domain)+len(r.Verdict)+len(r.Message))
	text = appendText(append(text, `{"email":`...), r.Email)
	text = appendText(append(text, `,"user":`...), r.Local)
	text = appendText(append(text, `,"domain":`...), r.Domain)
	text = appendFlag(append(text, `,"accept_all":`...), r.AcceptAll)
	text = appendFlag(append(text, `,"role":`...), r.Role)
	text = appendFlag(append(text, `,"free_email":`...), r.Free)
	text = appendFlag(append(text, `,"disposable":`...), r.Disposable)
	text = appendFlag(append(text, `,"spamtrap":`...), r.SpamTrap)
	text = strconv.AppendBool(append(text, `,"success":`...), !r.Reason.Failed())
	text = appendText(append(text, `,"result":`...), string(r.Verdict))
	text = appendText(append(text, `,"message":`...), r.Message)
	if r.Details == nil {
		return append(text, '}'), nil
	}
	details, err := r.MarshalDetails()
	if err != nil {
		return nil, err
	}
	text = append(append(text, `,"details":`...), details...)
	return append(text, '}'), nil
}

func appendFlag(text []byte, on bool) []byte {
	if on {
		return append(text, '1')
	}
	return append(text, '0')
}

// appendText appends a string in quotes. Strings with special characters are
// left to encoding/json.
func appendText(text []byte, s string) []byte {
	if !isPlain(s) {
		quoted, _ := plainjson.Marshal(s) // every string can be written
		return append(text, quoted...)
	}
	text = append(text, '"')
	text = append(text, s...)
	return append(text, '"')
}

// isPlain tells whether a string is the same in JSON.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// record is what a Result is read from.
type record struct {
	Email      string         `json:"email"`
	User       string         `json:"user"`
	Domain     string         `json:"domain"`
	AcceptAll  flag           `json:"accept_all"`
	Role       flag           `json:"role"`
	FreeEmail  flag           `json:"free_email"`
	Disposable flag           `json:"disposable"`
	SpamTrap   flag           `json:"spamtrap"`
	Success    bool           `json:"success"`
	Verdict    Verdict        `json:"result"`
	Message    string         `json:"message"`
	Details    *detailsRecord `json:"details,omitempty"`
}

// detailsRecord is the object "details" of a record.
type detailsRecord struct {
	Reason     Reason         `json:"reason"`
	RetryAfter int64          `json:"retry_after,omitempty"` // seconds, when worth retrying
	Suggestion string         `json:"suggestion,omitempty"`  // did you mean
	Canonical  string         `json:"canonical,omitempty"`
	Given      string         `json:"given,omitempty"`
	Irregular  []Irregularity `json:"irregular,omitempty"`
	Provider   string         `json:"provider,omitempty"`
	MX         []MX           `json:"mx,omitempty"`
	CatchAll   CatchAllState  `json:"catch_all"`
	Source     string         `json:"source,omitempty"`
	Matches    []Match        `json:"matches,omitempty"`
	SMTP       *SMTPAnswer    `json:"smtp,omitempty"`
	Transcript []Line         `json:"transcript,omitempty"`
	Cached     bool           `json:"cached"`
	CheckedAt  time.Time      `json:"checked_at"`
	DurationMS int64          `json:"duration_ms"`
	Action     Action         `json:"action"` // not read: [Result.Action] says it again
}

// MarshalDetails returns the object "details" of the record by itself; nothing
// without Details.
func (r Result) MarshalDetails() ([]byte, error) {
	if r.Details == nil {
		return nil, nil
	}
	return plainjson.Marshal(r.detailsRecord())
}

// UnmarshalDetails reads what [Result.MarshalDetails] has written. After an
// error r is unchanged.
func (r *Result) UnmarshalDetails(text []byte) error {
	var in detailsRecord
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	r.readDetails(in)
	r.Verdict, r.Reason = ReadWords(string(r.Verdict), string(r.Reason))
	return nil
}

func (r Result) detailsRecord() detailsRecord {
	d := r.Details
	return detailsRecord{
		Reason: r.Reason, RetryAfter: int64(r.RetryAfter() / time.Second), Suggestion: r.Suggestion,
		Canonical: d.Canonical, Given: d.Given, Irregular: d.Irregular, Provider: d.Provider, MX: d.MX,
		CatchAll: r.CatchAll(), Source: d.Source, Matches: d.Matches, SMTP: d.SMTP, Transcript: d.Transcript,
		Cached: d.Cached, CheckedAt: r.CheckedAt, DurationMS: d.Duration.Milliseconds(),
		Action: r.Action(),
	}
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

// UnmarshalJSON reads a verification record. One without details has no reason,
// unless it says that the verification could not be carried out.
func (r *Result) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil // as encoding/json has it
	}
	var in record
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = Result{
		Email: in.Email, Local: in.User, Domain: in.Domain, Verdict: in.Verdict, Message: in.Message,
		AcceptAll: in.AcceptAll != 0, Role: in.Role != 0, Free: in.FreeEmail != 0,
		Disposable: in.Disposable != 0, SpamTrap: in.SpamTrap != 0,
	}
	if in.Details != nil {
		r.readDetails(*in.Details)
	}
	r.Verdict, r.Reason = ReadWords(string(r.Verdict), string(r.Reason))
	if !in.Success && !r.Reason.Failed() {
		r.Reason = ReasonInternalError
	}
	return nil
}

func (r *Result) readDetails(in detailsRecord) {
	r.Reason = in.Reason
	r.Suggestion, r.CheckedAt = in.Suggestion, in.CheckedAt
	r.Details = &Details{
		Canonical: in.Canonical, Given: in.Given, Irregular: in.Irregular, Provider: in.Provider, MX: in.MX,
		CatchAll: in.CatchAll, Source: in.Source, Matches: in.Matches, SMTP: in.SMTP, Transcript: in.Transcript,
		Cached: in.Cached, Duration: time.Duration(in.DurationMS) * time.Millisecond,
	}
	if in.RetryAfter > 0 {
		r.RetryAt = r.CheckedAt.Add(r.Details.Duration + time.Duration(in.RetryAfter)*time.Second)
	}
}
