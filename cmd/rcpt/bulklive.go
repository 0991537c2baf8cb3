package main

import (
	"io"
	"os"
	"sync"

	"github.com/rcpt/rcpt/bulk"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Measures of the live line.
const (
	barWidth  = 20
	barTaken  = barWidth + len("\r100% || ") + 1 // columns that the bar itself takes, and the last one, in which some terminals wrap
	barSteps  = 1000
	lineWidth = 80 // where a terminal does not tell
)

// liveLine shows it in the last line of a terminal. Whatever else is written there goes through it and stands above.
type liveLine struct {
	tty   *os.File
	input *listInput

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil until there is something to show
}

func newLiveLine(tty *os.File, input *listInput) *liveLine { return &liveLine{tty: tty, input: input} }

func (l *liveLine) show(p bulk.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := outlookOf(p, l.input.read.Load(), l.input.size)
	if l.bar == nil {
		l.bar = newBar(l.tty)
	}
	if rest.fraction > 0 {
		l.bar.ChangeMax64(barSteps)
	}
	_ = l.bar.Set64(min(int64(rest.fraction*barSteps), barSteps-1)) // the library calls it a day at the maximum
	l.bar.Describe(fitting(describe(p, rest), widthOf(l.tty)-barTaken))
}

// newBar is a bar of unknown length.
func newBar(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetSpinnerChangeInterval(0), // draw when told to, not from a goroutine that nothing ends
	)
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

func (l *liveLine) clear() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

func widthOf(tty *os.File) int {
	if width, _, err := term.GetSize(int(tty.Fd())); err == nil && width > 0 {
		return width
	}
	return lineWidth
}

// fitting cuts text, which is ASCII, to a width.
func fitting(text string, width int) string { return text[:max(0, min(len(text), width))] }
