package smtp

import "github.com/rcpt/rcpt"

// Values of Line.From.
const (
	FromClient = "C"
	FromServer = "S"
	FromProber = "*"
)

// Line is one line of a transcript.
type Line = rcpt.Line
