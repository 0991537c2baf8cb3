package rcpt

import (
	"encoding/json"
	"time"

	"github.com/rcpt/rcpt/internal/sys/plainjson"
)

// Phase is a step of an SMTP session. Package smtp has the phases.
type Phase string

// FailureKind says in which way a session failed. Package smtp has the kinds.
type FailureKind string

// Line is one line of a transcript.
type Line struct {
	// From is "C" for the client, "S" for the server and "*" for remarks of the
	// prober (connected, TLS established, failure).
	From string `json:"from"`
	Text string `json:"text"`
	// At is the time since the session began. JSON has it as "at_ms", in whole
	// milliseconds.
	At time.Duration `json:"-"`
}

// lineJSON is a Line as JSON has it.
type lineJSON struct {
	*plainLine
	AtMS int64 `json:"at_ms"`
}

type plainLine Line

// MarshalJSON writes the line. Whether <, > and & are escaped is left to the
// encoder.
func (l Line) MarshalJSON() ([]byte, error) {
	return plainjson.Marshal(lineJSON{(*plainLine)(&l), l.At.Milliseconds()})
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
