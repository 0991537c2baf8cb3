package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// progressView shows the progress of a run.
type progressView interface {
	show(bulk.Progress, standing)
	close()
}

// viewFor chooses between live lines on a terminal, lines in the log, and
// nothing. The logger may be used while the view is shown. Live lines say
// themselves what the log would warn of, and the summary says the rest.
func (c *bulkCommand) viewFor(std terminal, logs *settings.LogFlags) (progressView, *slog.Logger) {
	if !c.NoProgress && movesCursor(std.err) && !(c.toStdout() && tty.Is(std.out)) {
		lines := &liveLines{terminal: std.err}
		return lines, logs.Logger(lines, slog.LevelError)
	}
	logger := logs.Logger(std.err, slog.LevelInfo)
	if c.NoProgress {
		return noProgress{}, logger
	}
	return &progressLog{logger: logger}, logger
}

// besides is where other lines go while a view is shown.
func besides(view progressView, stderr *os.File) io.Writer {
	if lines, live := view.(*liveLines); live {
		return lines
	}
	return stderr
}

// movesCursor reports whether a line of the file can be overwritten.
func movesCursor(f *os.File) bool { return tty.Is(f) && os.Getenv("TERM") != "dumb" }

type noProgress struct{}

func (noProgress) show(bulk.Progress, standing) {}
func (noProgress) close()                       {}

// progressInterval is the time between two lines in the log.
const progressInterval = 10 * time.Second

// progressLog logs the progress.
type progressLog struct {
	logger *slog.Logger
	last   time.Duration
}

func (l *progressLog) show(p bulk.Progress, s standing) {
	if p.Elapsed-l.last < progressInterval {
		return
	}
	l.last = p.Elapsed
	fields := []any{
		"done", p.Done, "read", p.Read, "waiting", p.Waiting, "rate", fmt.Sprintf("%.1f/s", s.rate),
	}
	for _, verdict := range verdicts() {
		fields = append(fields, strings.ReplaceAll(string(verdict), "-", "_"), p.Verdicts[verdict])
	}
	if p.Waiting > 0 {
		fields = append(fields, "next_retry", p.NextRetry.Round(time.Second))
	}
	if s.left > 0 {
		fields = append(fields, "left", s.left)
	}
	if w, held := s.heldUp(); held {
		fields = append(fields, "held_up_by", w.For, "held_up", w.Addresses, "why", w.Reason)
		if !w.Until.IsZero() {
			fields = append(fields, "paused_until", w.Until.Truncate(time.Second))
		}
	}
	l.logger.Info("progress", fields...)
}

func (l *progressLog) close() {}

// verdicts returns the verdicts in the order in which they are shown.
func verdicts() []rcpt.Verdict {
	return []rcpt.Verdict{
		rcpt.VerdictDeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUndeliverable, rcpt.VerdictUnknown,
	}
}

// Measures of the live lines.
const (
	barWidth = 10
	// columns before the text, and the last one, where some terminals wrap
	barTaken  = len("[") + barWidth + len("] 100%  ") + 1
	barFrom   = 100 // columns that a terminal needs for a bar
	lineWidth = 80  // where a terminal does not tell
)

// Sequences that every terminal knows except a dumb one (ECMA-48).
const (
	toLineStart = "\r"
	eraseLine   = "\x1b[K" // from the cursor to the end
	eraseBelow  = "\x1b[J" // the same, and all lines below
	up          = "\x1b[%dA"
)

// liveLines shows the progress in the last line of a terminal, and below it
// what the list waits for. Other output goes through its Write and appears
// above.
type liveLines struct {
	terminal *os.File

	mu sync.Mutex
}

func (l *liveLines) show(p bulk.Progress, s standing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, width := time.Now(), tty.Width(l.terminal, lineWidth)
	lines := append([]string{liveText(p, s, now, width)}, waitingLines(s, width)...)
	text := toLineStart + strings.Join(lines, eraseLine+"\n"+toLineStart) + eraseBelow
	if below := len(lines) - 1; below > 0 {
		text += fmt.Sprintf(up, below)
	}
	fmt.Fprint(l.terminal, text)
}

// Write writes above the lines, which the next progress shows again.
func (l *liveLines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	return l.terminal.Write(text)
}

func (l *liveLines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

func (l *liveLines) clear() { fmt.Fprint(l.terminal, toLineStart+eraseBelow) }

// liveText is the line for a terminal of that width, with a bar if there is
// room for one.
func liveText(p bulk.Progress, s standing, now time.Time, width int) string {
	percent := "  -%"
	if s.fraction > 0 {
		percent = fmt.Sprintf("%3d%%", min(99, int(100*s.fraction)))
	}
	if width < barFrom {
		return percent + "  " + describe(p, s, now, width-len(percent)-3)
	}
	filled := min(barWidth, int(barWidth*s.fraction))
	bar := strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled)
	return "[" + bar + "] " + percent + "  " + describe(p, s, now, width-barTaken)
}

// heldUp is what most of the list waits for: our own network, or a provider
// with a tenth of what waits and more.
func (s standing) heldUp() (w headway.Waiting, held bool) {
	var all int64
	for _, w := range s.waiting {
		all += w.Addresses
	}
	if len(s.waiting) == 0 || s.waiting[0].For == headway.ForLater || 10*s.waiting[0].Addresses < all {
		return headway.Waiting{}, false
	}
	return s.waiting[0], true
}

// waitingLines says it in lines of that width, whole words in each.
func waitingLines(s standing, width int) (lines []string) {
	w, held := s.heldUp()
	if !held {
		return nil
	}
	text := w.Message
	if !w.Until.IsZero() {
		text += ", until " + w.Until.Local().Format("15:04")
	}
	const indent = "     "
	line := indent
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) >= width && line != indent {
			lines, line = append(lines, line), indent
		}
		line += " " + word
	}
	lines = append(lines, line)
	for i, line := range lines {
		lines[i] = line[:min(len(line), max(0, width-1))]
	}
	return lines
}

// describe is the progress as text. It leaves out what does not fit into the
// width, the least important parts first.
func describe(p bulk.Progress, s standing, now time.Time, width int) string {
	parts := []string{fmt.Sprintf("%s%s  %.0f/s", humanize.Comma(p.Done), ofTotal(s.total), s.rate)}
	if s.left > 0 {
		parts = append(parts, "~"+shortDuration(s.left)+" left")
	}
	if p.Waiting > 0 {
		next := now.Add(p.NextRetry).Format("15:04")
		parts = append(parts, fmt.Sprintf("%s wait, next at %s", humanize.Comma(p.Waiting), next))
	}
	for _, verdict := range []rcpt.Verdict{
		rcpt.VerdictUnknown, rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll,
	} {
		if count := p.Verdicts[verdict]; count > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", verdict, humanize.Comma(count)))
		}
	}
	var line string
	for _, part := range parts {
		if len(line)+len("  ")+len(part) <= width || line == "" {
			line = strings.TrimPrefix(line+"  "+part, "  ")
		}
	}
	return line[:min(len(line), max(0, width))]
}

// ofTotal is "/148,134", or "/~150,000" for an estimate.
func ofTotal(total file.Total) string {
	switch {
	case total.Rows == 0:
		return ""
	case total.Exact:
		return "/" + humanize.Comma(total.Rows)
	}
	return "/~" + humanize.Comma(total.Rows)
}

// shortDuration is a duration as "5s", "12m" or "1h05m".
func shortDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
