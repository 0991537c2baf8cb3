package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// progressView shows how far a run is.
type progressView interface {
	show(bulk.Progress)
	close()
}

// viewFor chooses between a live line on a terminal, lines in the log, and nothing. The logger is what may be written to meanwhile.
func (c *bulkCommand) viewFor(std terminal, in *listInput, logs *logFlags) (progressView, *slog.Logger) {
	if !c.NoProgress && isTerminal(std.err) && !(c.toStdout() && isTerminal(std.out)) {
		line := newLiveLine(std.err, in)
		return line, logs.logger(line, slog.LevelInfo)
	}
	logger := logs.logger(std.err, slog.LevelInfo)
	if c.NoProgress {
		return noProgress{}, logger
	}
	return &progressLog{logger: logger, input: in}, logger
}

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
	rest := outlookOf(p, l.input.read.Load(), l.input.size)
	fields := []any{"done", p.Done, "read", p.Read, "waiting", p.Waiting, "rate", fmt.Sprintf("%.1f/s", p.Rate)}
	for _, verdict := range verdicts() {
		fields = append(fields, strings.ReplaceAll(string(verdict), "-", "_"), p.Verdicts[verdict])
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

// describe says in a line how far a run is, the most important first.
func describe(p bulk.Progress, rest outlook) string {
	parts := []string{fmt.Sprintf("%d%s %.0f/s", p.Done, ofTotal(rest), p.Rate)}
	if rest.left > 0 {
		parts = append(parts, rest.left.String()+" left")
	}
	for _, verdict := range verdicts() {
		if count := p.Verdicts[verdict]; count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", verdict, count))
		}
	}
	if p.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%d to retry", p.Waiting))
	}
	return strings.Join(parts, "  ")
}

func ofTotal(rest outlook) string {
	switch {
	case rest.total == 0:
		return ""
	case rest.exact:
		return fmt.Sprintf("/%d", rest.total)
	}
	return fmt.Sprintf("/~%d", rest.total)
}
