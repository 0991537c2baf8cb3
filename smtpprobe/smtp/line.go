package smtp

// Values of Line.From.
const (
	FromClient = "C"
	FromServer = "S"
	FromProber = "*"
)

// Line is one line of a transcript.
type Line struct {
	// From is "C" for the client, "S" for the server and "*" for remarks of the
	// prober (connected, TLS established, failure).
	From string `json:"from"`
	Text string `json:"text"`
	// AtMS is milliseconds since the session began.
	AtMS int64 `json:"at_ms"`
}
