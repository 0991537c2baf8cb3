package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/internal/list/file"
)

// dedupe is --dedupe, a switch that may have a word behind it.
type dedupe file.Dedupe

// IsBool says that the flag stands alone, too.
func (*dedupe) IsBool() bool { return true }

// Decode implements [kong.MapperValue].
func (d *dedupe) Decode(ctx *kong.DecodeContext) error {
	*d = dedupe(file.DedupeAddress)
	next := ctx.Scan.Peek()
	switch word := file.Dedupe(fmt.Sprint(next.Value)); {
	case next.Type != kong.FlagValueToken && word != file.DedupeAddress && word != file.DedupeCanonical:
		return nil // another flag, or the list
	case word == file.DedupeAddress, word == file.DedupeCanonical:
		*d = dedupe(word)
	case word == "false":
		*d = ""
	case word != "true":
		return fmt.Errorf("%q is neither address nor canonical", word)
	}
	ctx.Scan.Pop()
	return nil
}

// condition is what a journal has of it: true and false are from when it had no
// word.
func (d dedupe) condition() string {
	switch file.Dedupe(d) {
	case "":
		return "false"
	case file.DedupeAddress:
		return "true"
	}
	return string(d)
}

// what is repeated.
func (d dedupe) what() string {
	if file.Dedupe(d) == file.DedupeCanonical {
		return "mailboxes"
	}
	return "addresses"
}
