package smtp

// Who a [Line] is from.
const (
	FromClient = "C"
	FromServer = "S"
	FromProber = "*"
)

// Line is one line of a transcript.
type Line struct {
	// From is "C" for the client, "S" for the server, "*" for a remark of the prober (connected, TLS established, failure).
	From string `json:"from"`
	Text string `json:"text"`
	// AtMS is milliseconds since the session began.
	AtMS int64 `json:"at_ms"`
}
