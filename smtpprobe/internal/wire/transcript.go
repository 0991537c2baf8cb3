package wire

import (
	"sync"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// transcript collects what was said, as much as may be kept.
type transcript struct {
	start time.Time
	mu    sync.Mutex // guards the lines, to which the connection alone adds, and its opening
	lines []smtp.Line
	bytes int // of their texts
	many  int // recipients of the transaction, beyond a few, each with room of its own
}

// add appends a line; the last that has room says that there is none for more.
func (t *transcript) add(from, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines, bytes := maxTranscriptLines+t.many*recipientLines, maxTranscript+t.many*recipientTranscript
	switch {
	case len(t.lines) >= lines, t.bytes > bytes:
		return
	case len(t.lines) == lines-1, t.bytes > bytes-2*maxLineText:
		from, text = smtp.FromProber, "the transcript ends here"
		t.bytes = bytes
	}
	text = smtp.Truncate(smtp.Clean(text), maxLineText)
	t.bytes += len(text)
	t.lines = append(t.lines, smtp.Line{From: from, Text: text, At: time.Since(t.start).Truncate(time.Millisecond)})
}

// cut takes off all but the first n lines.
func (t *transcript) cut(n int) {
	t.lines, t.bytes = t.lines[:n:n], 0
	for _, line := range t.lines {
		t.bytes += len(line.Text)
	}
}
