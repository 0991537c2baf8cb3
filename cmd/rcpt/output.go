package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// printerFor chooses the format of results: text on a terminal, JSON lines
// otherwise.
func printerFor(out *os.File, asJSON, details bool) printer {
	if asJSON || !tty.Is(out) {
		return &jsonPrinter{encoder: newEncoder(out), details: details}
	}
	return &textPrinter{out: out, details: details, colour: wantsColour(os.Getenv)}
}

// wantsColour reports whether to use colours on a terminal
// (https://no-color.org; dumb terminals have none).
func wantsColour(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// jsonPrinter prints each result as one line of JSON.
type jsonPrinter struct {
	encoder *json.Encoder
	details bool
}

func newEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

func (p *jsonPrinter) print(r rcpt.Result) error {
	if !p.details {
		r = r.WithoutDetails()
	}
	return p.encoder.Encode(r)
}

// textPrinter prints each result as text.
type textPrinter struct {
	out     io.Writer
	details bool
	colour  bool
}

// colours are the SGR parameters of verdicts (ECMA-48).
var colours = map[rcpt.Verdict]string{
	rcpt.VerdictDeliverable:   "32",
	rcpt.VerdictUndeliverable: "31",
	rcpt.VerdictAcceptAll:     "33",
	rcpt.VerdictUnknown:       "33",
}

func (p *textPrinter) print(r rcpt.Result) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s\n", p.paint(r.Verdict), tty.Printable(r.Email))
	fmt.Fprintf(&text, "    %s\n", tty.Printable(r.Message))
	for _, note := range notes(r) {
		fmt.Fprintf(&text, "    %-9s %s\n", note.name, tty.Printable(note.text))
	}
	if p.details && r.Details != nil {
		writeCanonical(&text, r)
		writeTranscript(&text, r.Details.Transcript)
	}
	_, err := io.WriteString(p.out, text.String())
	return err
}

// paint returns the verdict padded to a column, in its colour.
func (p *textPrinter) paint(v rcpt.Verdict) string {
	column := fmt.Sprintf("%-13s", v)
	if !p.colour {
		return column
	}
	return "\x1b[1;" + colours[v] + "m" + column + "\x1b[0m"
}

type note struct{ name, text string }

// notes returns the facts besides the verdict.
func notes(r rcpt.Result) []note {
	var facts []note
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, note{name, text})
		}
	}
	if r.Details != nil {
		add("given", r.Details.Given)
	}
	add("reason", string(r.Reason))
	add("flags", strings.Join(flags(r), ", "))
	if r.Details != nil {
		add("said", said(r.Details.SMTP))
	}
	add("retry in", wait(r.RetryAfter()))
	add("perhaps", r.Suggestion)
	return facts
}

func flags(r rcpt.Result) []string {
	var set []string
	for _, flag := range []struct {
		name string
		on   bool
	}{
		{"accept-all", r.AcceptAll}, {"role", r.Role}, {"free e-mail", r.Free}, {"disposable", r.Disposable},
		{"spam trap", r.SpamTrap},
	} {
		if flag.on {
			set = append(set, flag.name)
		}
	}
	return set
}

// said quotes the reply of the mail host.
func said(answer *rcpt.SMTPAnswer) string {
	if answer == nil {
		return ""
	}
	words := []string{}
	if answer.Code != 0 {
		words = append(words, strconv.Itoa(answer.Code))
	}
	for _, word := range []string{answer.Enhanced, answer.Text} {
		if word != "" {
			words = append(words, word)
		}
	}
	return fmt.Sprintf("%s  (%s [%s], %s)", strings.Join(words, " "), answer.Host, answer.IP, answer.Phase)
}

func wait(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// writeCanonical names the mailbox where the address is another spelling of it.
func writeCanonical(text *strings.Builder, r rcpt.Result) {
	if mailbox := r.Details.Canonical; mailbox != "" && mailbox != r.Email {
		fmt.Fprintf(text, "    %-9s %s\n", "mailbox", tty.Printable(mailbox))
	}
}

func writeTranscript(text *strings.Builder, transcript []smtp.Line) {
	for _, line := range transcript {
		fmt.Fprintf(text, "    %6d ms  %s  %s\n", line.At.Milliseconds(), line.From, tty.Printable(line.Text))
	}
}

// lineBreaks replaces the line breaks of an error, with the indentation after
// them.
var lineBreaks = strings.NewReplacer(":\n\t", ": ", "\n\t", "; ", "\n", "; ")

// printError prints an error as one line, which begins with the name of the
// program once: errors of our packages have it, too. Names of files and values
// of flags are made printable.
func printError(w io.Writer, err error) {
	text := err.Error()
	if failed := new(store.Error); errors.As(err, &failed) {
		text = strings.Replace(text, failed.Error(), failed.Err.Error(), 1) // without the name of the failed operation
	}
	text = strings.TrimPrefix(text, "rcpt: ")
	fmt.Fprintf(w, "rcpt: %s\n", tty.Printable(lineBreaks.Replace(text)))
}
