package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/rcpt/rcpt/engine"
)

// printerFor chooses how answers are shown: as text when a person reads them, and as JSON lines otherwise.
func printerFor(out *os.File, asJSON, details bool) printer {
	if asJSON || !isTerminal(out) {
		return &jsonPrinter{encoder: newEncoder(out), details: details}
	}
	return &textPrinter{out: out, details: details, colour: wantsColour(os.Getenv)}
}

// wantsColour tells whether a terminal is to get colours: https://no-color.org,
// and terminals that have none.
func wantsColour(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// jsonPrinter prints each answer as one line of JSON.
type jsonPrinter struct {
	encoder *json.Encoder
	details bool
}

func newEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

func (p *jsonPrinter) print(r engine.Result) error {
	if !p.details {
		r = r.WithoutDetails()
	}
	return p.encoder.Encode(r)
}
