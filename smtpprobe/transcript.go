package smtpprobe

import (
	"sync"
	"time"
)

// Who a [Line] is from.
const (
	fromClient = "C"
	fromServer = "S"
	fromProber = "*"
)

// transcript collects what was said in a session, as much as may be kept.
type transcript struct {
	start time.Time
	mu    sync.Mutex // guards the lines, to which the session alone adds, and its findings
	lines []Line
}

// add appends a line; the last that has room says that there is none for more.
func (t *transcript) add(from, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.lines) == maxTranscriptLines:
		return
	case len(t.lines) == maxTranscriptLines-1:
		from, text = fromProber, "the transcript ends here"
	}
	t.lines = append(t.lines, Line{
		From: from,
		Text: truncate(clean(text), maxTranscriptText),
		AtMS: time.Since(t.start).Milliseconds(),
	})
}
