package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// progressView shows the progress of a run.
type progressView interface {
	show(bulk.Progress, heldUp)
	close()
}

// viewFor chooses between a live line on a terminal, lines in the log, and
// nothing. The logger may be used while the view is shown.
func (c *bulkCommand) viewFor(
	std terminal, total func() file.Total, logs *settings.LogFlags,
) (progressView, *slog.Logger) {
	if !c.NoProgress && movesCursor(std.err) && !(c.toStdout() && tty.Is(std.out)) {
		line := &liveLine{terminal: std.err, total: total}
		return line, logs.Logger(line, slog.LevelInfo)
	}
	logger := logs.Logger(std.err, slog.LevelInfo)
	if c.NoProgress {
		return noProgress{}, logger
	}
	return &progressLog{logger: logger, total: total}, logger
}

// movesCursor reports whether a line of the file can be overwritten.
func movesCursor(f *os.File) bool { return tty.Is(f) && os.Getenv("TERM") != "dumb" }

type noProgress struct{}

func (noProgress) show(bulk.Progress, heldUp) {}
func (noProgress) close()                     {}

// progressInterval is the time between two lines in the log.
const progressInterval = 10 * time.Second

// progressLog logs the progress.
type progressLog struct {
	logger *slog.Logger
	total  func() file.Total
	last   time.Duration
}

func (l *progressLog) show(p bulk.Progress, held heldUp) {
	if p.Elapsed-l.last < progressInterval {
		return
	}
	l.last = p.Elapsed
	rest := estimateFor(p, l.total())
	fields := []any{
		"done", p.Done, "read", p.Read, "waiting", p.Waiting, "rate", fmt.Sprintf("%.1f/s", p.Rate),
	}
	for _, verdict := range verdicts() {
		fields = append(fields, strings.ReplaceAll(string(verdict), "-", "_"), p.Verdicts[verdict])
	}
	if p.Waiting > 0 {
		fields = append(fields, "next_retry", p.NextRetry.Round(time.Second))
	}
	if rest.left > 0 {
		fields = append(fields, "left", rest.left)
	}
	if held != (heldUp{}) {
		fields = append(fields, "held_up_by", held.provider)
	}
	if held.waiting > 0 {
		fields = append(fields, "held_up", held.waiting)
	}
	if !held.until.IsZero() {
		fields = append(fields, "paused_until", held.until.Truncate(time.Second))
	}
	l.logger.Info("progress", fields...)
}

func (l *progressLog) close() {}

// verdicts returns the verdicts in the order in which they are shown.
func verdicts() []engine.Verdict {
	return []engine.Verdict{
		engine.VerdictDeliverable, engine.VerdictAcceptAll, engine.VerdictUndeliverable, engine.VerdictUnknown,
	}
}

// Measures of the live line.
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
)

// liveLine shows the progress in the last line of a terminal. Other output goes
// through its Write and appears above the line.
type liveLine struct {
	terminal *os.File
	total    func() file.Total

	mu sync.Mutex
}

func (l *liveLine) show(p bulk.Progress, held heldUp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := liveText(p, held, estimateFor(p, l.total()), time.Now(), tty.Width(l.terminal, lineWidth))
	fmt.Fprint(l.terminal, toLineStart+line+eraseLine)
}

// liveText is the line for a terminal of that width, with a bar if there is
// room for one.
func liveText(p bulk.Progress, held heldUp, rest estimate, now time.Time, width int) string {
	percent := "  -%"
	if rest.fraction > 0 {
		percent = fmt.Sprintf("%3d%%", min(99, int(100*rest.fraction)))
	}
	if width < barFrom {
		return percent + "  " + describe(p, held, rest, now, width-len(percent)-3)
	}
	filled := min(barWidth, int(barWidth*rest.fraction))
	bar := strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled)
	return "[" + bar + "] " + percent + "  " + describe(p, held, rest, now, width-barTaken)
}

// Write writes above the line, which the next progress shows again.
func (l *liveLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	return l.terminal.Write(text)
}

func (l *liveLine) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

func (l *liveLine) clear() { fmt.Fprint(l.terminal, toLineStart+eraseLine) }

// describe is the progress as text. It leaves out what does not fit into the
// width, the least important parts first.
func describe(p bulk.Progress, held heldUp, rest estimate, now time.Time, width int) string {
	parts := []string{fmt.Sprintf("%s%s  %.0f/s", humanize.Comma(p.Done), ofTotal(rest.total), p.Rate)}
	if rest.left > 0 {
		parts = append(parts, "~"+shortDuration(rest.left)+" left")
	}
	if held != (heldUp{}) {
		parts = append(parts, held.text())
	}
	if p.Waiting > 0 {
		next := now.Add(p.NextRetry).Format("15:04")
		parts = append(parts, fmt.Sprintf("%s wait, next at %s", humanize.Comma(p.Waiting), next))
	}
	for _, verdict := range []engine.Verdict{
		engine.VerdictUnknown, engine.VerdictDeliverable, engine.VerdictUndeliverable, engine.VerdictAcceptAll,
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

// estimate is what is known about the rest of a run.
type estimate struct {
	total    file.Total
	fraction float64       // of the list that is done, from 0 to 1; 0: unknown
	left     time.Duration // 0: unknown
}

// longestLeft is the longest time that is shown: a rate that leads to more
// means nothing.
const longestLeft = 100 * time.Hour

// estimateFor estimates how long a run still takes: until the addresses that do
// not wait are verified, and until the last address that waits is retried.
func estimateFor(p bulk.Progress, total file.Total) estimate {
	e := estimate{total: total}
	if total.Rows == 0 {
		return e
	}
	e.fraction = float64(p.Done) / float64(total.Rows)
	ready := max(0, total.Rows-p.Done-p.Waiting)
	if ready > 0 && p.Rate <= 0 {
		return e
	}
	left := p.LastRetry.Seconds()
	if ready > 0 {
		left = max(left, float64(ready)/p.Rate)
	}
	if left < longestLeft.Seconds() {
		e.left = time.Duration(left * float64(time.Second)).Round(time.Second)
	}
	return e
}
