package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"golang.org/x/term"
)

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
