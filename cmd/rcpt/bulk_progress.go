package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// progressView shows how far a run is.
type progressView interface {
	show(bulk.Progress)
	close()
}

// viewFor chooses between a live line on a terminal, lines in the log, and
// nothing. The logger is what may be written to meanwhile.
func (c *bulkCommand) viewFor(std terminal, in *listInput, logs *logFlags) (progressView, *slog.Logger) {
	if !c.NoProgress && movesCursor(std.err) && !(c.toStdout() && isTerminal(std.out)) {
		line := newLiveLine(std.err, in)
		return line, logs.logger(line, slog.LevelInfo)
	}
	logger := logs.logger(std.err, slog.LevelInfo)
	if c.NoProgress {
		return noProgress{}, logger
	}
	return &progressLog{logger: logger, input: in}, logger
}

// movesCursor tells whether a line of the file can be overwritten.
func movesCursor(f *os.File) bool { return isTerminal(f) && os.Getenv("TERM") != "dumb" }

type noProgress struct{}

func (noProgress) show(bulk.Progress) {}
func (noProgress) close()             {}

// progressInterval is how often the log gets a line.
const progressInterval = 10 * time.Second

// progressLog shows it in the log.
type progressLog struct {
	logger *slog.Logger
	input  *listInput
	last   time.Duration
}

func (l *progressLog) show(p bulk.Progress) {
	if p.Elapsed-l.last < progressInterval {
		return
	}
	l.last = p.Elapsed
	rest := outlookOf(p, l.input.total())
	fields := []any{"done", p.Done, "read", p.Read, "waiting", p.Waiting, "rate", fmt.Sprintf("%.1f/s", p.Rate)}
	for _, verdict := range verdicts() {
		fields = append(fields, strings.ReplaceAll(string(verdict), "-", "_"), p.Verdicts[verdict])
	}
	if p.Waiting > 0 {
		fields = append(fields, "next_retry", p.NextRetry.Round(time.Second))
	}
	if rest.left > 0 {
		fields = append(fields, "left", rest.left)
	}
	l.logger.Info("progress", fields...)
}

func (l *progressLog) close() {}

// verdicts in the order in which they are shown.
func verdicts() []engine.Verdict {
	return []engine.Verdict{engine.Deliverable, engine.AcceptAll, engine.Undeliverable, engine.Unknown}
}

// describe says in a line how far a run is, and leaves out what does not fit
// into the width, the least important first.
func describe(p bulk.Progress, rest outlook, now time.Time, width int) string {
	parts := []string{fmt.Sprintf("%s%s  %.0f/s", humanize.Comma(p.Done), ofTotal(rest.listTotal), p.Rate)}
	if rest.left > 0 {
		parts = append(parts, "~"+briefly(rest.left)+" left")
	}
	if p.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%s wait, next at %s", humanize.Comma(p.Waiting), now.Add(p.NextRetry).Format("15:04")))
	}
	for _, verdict := range []engine.Verdict{engine.Unknown, engine.Deliverable, engine.Undeliverable, engine.AcceptAll} {
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

// ofTotal is "/148,134", or "/~150,000" where it is estimated.
func ofTotal(total listTotal) string {
	switch {
	case total.rows == 0:
		return ""
	case total.exact:
		return "/" + humanize.Comma(total.rows)
	}
	return "/~" + humanize.Comma(total.rows)
}

// briefly is a duration as people say it.
func briefly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
