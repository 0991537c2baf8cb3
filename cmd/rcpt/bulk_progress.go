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
	"github.com/rcpt/rcpt/engine"
	"golang.org/x/term"
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

// Measures of the live line.
const (
	barWidth  = 10
	barTaken  = len("[") + barWidth + len("] 100%  ") + 1 // columns before the text, and the last one, in which some terminals wrap
	barFrom   = 100                                       // columns that a terminal has for a bar to fit
	lineWidth = 80                                        // where a terminal does not tell
)

// Sequences that each terminal but a dumb one knows (ECMA-48).
const (
	toLineStart = "\r"
	eraseLine   = "\x1b[K" // from the cursor on
)

// liveLine shows it in the last line of a terminal. Whatever else is written
// there goes through it and stands above.
type liveLine struct {
	tty   *os.File
	input *listInput

	mu sync.Mutex
}

func newLiveLine(tty *os.File, input *listInput) *liveLine { return &liveLine{tty: tty, input: input} }

func (l *liveLine) show(p bulk.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprint(l.tty, toLineStart+lineOf(p, outlookOf(p, l.input.total()), time.Now(), widthOf(l.tty))+eraseLine)
}

// lineOf is the line for a terminal of that width: with a bar where there is
// room for one.
func lineOf(p bulk.Progress, rest outlook, now time.Time, width int) string {
	percent := "  -%"
	if rest.fraction > 0 {
		percent = fmt.Sprintf("%3d%%", min(99, int(100*rest.fraction)))
	}
	if width < barFrom {
		return percent + "  " + describe(p, rest, now, width-len(percent)-3)
	}
	filled := min(barWidth, int(barWidth*rest.fraction))
	bar := strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled)
	return "[" + bar + "] " + percent + "  " + describe(p, rest, now, width-barTaken)
}

// Write writes above the line, which comes back with the next progress.
func (l *liveLine) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	return l.tty.Write(text)
}

func (l *liveLine) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

func (l *liveLine) clear() { fmt.Fprint(l.tty, toLineStart+eraseLine) }

func widthOf(tty *os.File) int {
	if width, _, err := term.GetSize(int(tty.Fd())); err == nil && width > 0 {
		return width
	}
	return lineWidth
}

// listTotal is how many rows a list has.
type listTotal struct {
	rows  int64 // 0 where nothing is known
	exact bool  // they are counted, not estimated
}

// readAheadOctets is about how much a reader takes from a file before its rows
// are needed.
const readAheadOctets = 128 << 10

// totalOf counts the rows of a list that was read to its end, and else
// estimates them by how many octets the first ones took: those of the rows
// themselves, or those that were read, which are more where the encoding is
// another. Size is 0 where it is not known.
func totalOf(rows, rowOctets, read, size int64, ended bool) listTotal {
	took := max(rowOctets, read-readAheadOctets)
	switch {
	case ended:
		return listTotal{rows, true}
	case took <= 0 || size <= 0:
		return listTotal{}
	}
	return listTotal{rows: max(rows, int64(float64(rows)*float64(size)/float64(took)))}
}

// outlook is what can be said about the rest of a run.
type outlook struct {
	listTotal
	fraction float64       // of the list that is done, from 0 to 1; 0 where nothing is known
	left     time.Duration // 0 where nothing is known
}

// longestLeft is the longest time that is told: beyond it the rate says
// nothing.
const longestLeft = 100 * time.Hour

// outlookOf estimates how long a run takes: until those are asked who can be
// asked now, and until the last of those who wait is.
func outlookOf(p bulk.Progress, total listTotal) outlook {
	o := outlook{listTotal: total}
	if total.rows == 0 {
		return o
	}
	o.fraction = float64(p.Done) / float64(total.rows)
	askable := max(0, total.rows-p.Done-p.Waiting)
	if askable > 0 && p.Rate <= 0 {
		return o
	}
	left := p.LastRetry.Seconds()
	if askable > 0 {
		left = max(left, float64(askable)/p.Rate)
	}
	if left < longestLeft.Seconds() {
		o.left = time.Duration(left * float64(time.Second)).Round(time.Second)
	}
	return o
}
