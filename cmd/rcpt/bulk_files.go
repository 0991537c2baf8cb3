package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// stdio is the name of standard input and standard output.
const stdio = "-"

// outputName is the name of a file, which cannot be empty: -o "$UNSET" would
// write the rows to standard output.
type outputName string

func (n *outputName) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the name is empty: name a file, or write - for standard output")
	}
	*n = outputName(text)
	return nil
}

// onlyResult is a result or a group whose rows are written.
type onlyResult string

// writtenResults are the values of rcpt_result.
var writtenResults = []string{"deliverable", "accept-all", "undeliverable", "unknown"}

// resultsAndGroups are the values of rcpt_result and rcpt_group.
func resultsAndGroups() []string {
	all := slices.Clone(writtenResults)
	for _, group := range bulk.Groups() {
		all = append(all, string(group))
	}
	return all
}

func (r *onlyResult) UnmarshalText(text []byte) error {
	if all := resultsAndGroups(); !slices.Contains(all, string(text)) {
		return fmt.Errorf("%q is not a result: use one of %s", text, strings.Join(all, ", "))
	}
	*r = onlyResult(text)
	return nil
}

// openInput opens the list. When stop is closed, reading it no longer waits.
func (c *bulkCommand) openInput(std terminal, stop <-chan struct{}) (*file.Input, error) {
	options := file.InputOptions{
		Stdin: std.in, Columns: c.Column, Sheet: c.Sheet, Header: int(c.HeaderRow), Encoding: c.Encoding,
		Dedupe: file.Dedupe(c.Dedupe), Folder: c.State, Stop: stop,
		Sample: file.Sample{Size: int(c.Sample), Seed: c.Seed},
	}
	if c.Input != stdio {
		options.Name = c.Input
	}
	var err error
	if options.Earlier, err = c.openEarlier(); err != nil {
		return nil, usage(err)
	}
	input, err := file.OpenInput(options)
	if err != nil {
		return nil, c.inputError(err)
	}
	return input, nil
}

// openEarlier opens the output that results are taken from, which may be nil.
func (c *bulkCommand) openEarlier() (earlier *file.Earlier, err error) {
	const together = "%s and %s cannot be used together: leave one of them out"
	switch {
	case c.Sample > 0 && c.RetryUnknown != "":
		return nil, fmt.Errorf(together, "--sample", "--retry-unknown")
	case c.Since != "" && c.RetryUnknown != "":
		return nil, fmt.Errorf(together, "--since", "--retry-unknown")
	case c.RetryUnknown != "":
		if earlier, err = file.OpenEarlier(c.RetryUnknown, c.Column); err != nil {
			err = fmt.Errorf("--retry-unknown %w", err)
		}
	case c.Since != "":
		if earlier, err = file.OpenSince(c.Since, c.Column, time.Now(), c.ages()); err != nil {
			err = fmt.Errorf("--since %w", err)
		}
	}
	return earlier, err
}

// How old a result of --since may be by default. A file that does not say when
// its results were found says at best when it was written or copied.
const (
	sinceMaxAge   = 90 * 24 * time.Hour
	undatedMaxAge = 30 * 24 * time.Hour
)

// ages are how old a result of --since may be.
func (c *bulkCommand) ages() file.Ages {
	if c.SinceMaxAge == 0 {
		return file.Ages{Dated: sinceMaxAge, Undated: undatedMaxAge}
	}
	return file.Ages{Dated: time.Duration(c.SinceMaxAge), Undated: time.Duration(c.SinceMaxAge)}
}

func (c *bulkCommand) inputName() string {
	if c.Input == stdio {
		return "standard input"
	}
	return c.Input
}

// inputError names the list in an error, and makes it an error of usage where
// another list or flag would help.
func (c *bulkCommand) inputError(err error) error {
	switch {
	case errors.Is(err, file.ErrInterrupted):
		return err
	case errors.As(err, new(*file.Error)):
		return usage(err)
	case errors.As(err, new(*list.FormatError)):
		return usage(fmt.Errorf("%s: %w", c.inputName(), err))
	}
	return fmt.Errorf("%s: %w", c.inputName(), wholefile.WithoutPath(err))
}

// partNames are the names of the files of --split.
func (c *bulkCommand) partNames() []string {
	if !c.Split {
		return nil
	}
	return file.PartNames(string(c.Output))
}

func (c *bulkCommand) toStdout() bool { return c.Output == "" || c.Output == stdio }

// outputFormat is the format of the output: by its name, or on standard output
// that of the list.
func (c *bulkCommand) outputFormat(of list.Format) (list.Output, error) {
	name := string(c.Output)
	out := list.Output{
		Format: list.FormatOf(name), Delimiter: list.DelimiterOf(name), Details: c.Details, Raw: c.CSVRaw,
		CheckedAt: c.Since != "",
		Unmarked:  c.toStdout(), // programs read that
	}
	packing, _ := list.PackingOf(name)
	switch {
	case !c.toStdout() && (out.Format == list.CSV || out.Format == list.JSONLines):
	case !c.toStdout() && out.Format == list.XLSX && packing == list.Plain:
	case !c.toStdout():
		const format = "--output %s: the name must end with .csv, .tsv, .jsonl or .xlsx, which sets the format; " +
			"for text .gz or .zst may follow"
		return out, usage(fmt.Errorf(format, name))
	case c.Split:
		return out, usage(errors.New("--split writes files beside the output: name it with --output"))
	case c.JSON || of == list.JSONLines:
		out.Format = list.JSONLines
	default:
		out.Format = list.CSV
	}
	return out, nil
}

// checkOutput fails where a file of the output must not be written.
func (c *bulkCommand) checkOutput(in *file.Input) error {
	if c.toStdout() {
		return nil
	}
	for _, name := range append([]string{string(c.Output)}, c.partNames()...) {
		if err := file.CheckOutput(name, in, c.Overwrite || c.Resume); err != nil {
			return c.outputError(err)
		}
	}
	return nil
}

// openOutput opens the output and writes what comes before the first row.
func (c *bulkCommand) openOutput(
	std terminal, in *file.Input, writer *list.Writer,
) (output *file.Output, err error) {
	options := file.OutputOptions{Writer: writer}
	for _, only := range c.Only {
		options.Only = append(options.Only, string(only))
	}
	if c.toStdout() {
		output, err = file.OutputTo(std.out, in, options)
	} else {
		output, err = file.CreateOutput(string(c.Output), c.partNames(), options)
	}
	return output, c.outputError(err)
}

// outputError makes the error of a file that cannot be written one of usage,
// and says what to do.
func (c *bulkCommand) outputError(err error) error {
	var named *file.Error
	if !errors.As(err, &named) {
		return err
	}
	switch {
	case c.toStdout():
		return usage(fmt.Errorf("%s %w: name a file with --output", named.Name, named.Err))
	case errors.Is(err, file.ErrIsInput):
		err = fmt.Errorf("%w: name another file", err)
	case errors.Is(err, file.ErrExists):
		err = fmt.Errorf("%w: name another file, or replace it with --overwrite", err)
	}
	return usage(fmt.Errorf("--output %w", err))
}

// printColumns says which columns are read, where there is a choice.
func printColumns(w io.Writer, in *file.Input) {
	for _, notice := range in.Notices() {
		fmt.Fprintln(w, tty.Printable(notice))
	}
	read, others := in.Columns()
	if len(read) == 0 {
		return
	}
	text := "Reading column " + read[0]
	if len(read) > 1 {
		text = "Reading columns " + strings.Join(read, ", ")
	}
	switch len(others) {
	case 0:
	case 1:
		text += "; 1 more column holds addresses: " + others[0] + "; --column is repeatable"
	default:
		text += fmt.Sprintf("; %d more columns hold addresses: %s; --column is repeatable", len(others),
			strings.Join(others, ", "))
	}
	fmt.Fprintln(w, tty.Printable(text))
}

// printNotes says what happened while the list was read.
func (c *bulkCommand) printNotes(w io.Writer, in *file.Input) {
	name, n := tty.Printable(c.inputName()), in.Notes()
	if encoding, _ := in.Encoding(); encoding == list.UTF8 && n.Foreign > 0 {
		const text = "rcpt: %s: not UTF-8 from line %d on; such rows were read as Windows-1252 (guessed); " +
			"if that is wrong: --encoding NAME, or save the list as CSV UTF-8\n"
		fmt.Fprintf(w, text, name, n.Foreign)
	}
	if n.Merged > 0 {
		more := ""
		if n.Merged > len(n.MergedRows) {
			more = fmt.Sprintf(" and %d more", n.Merged-len(n.MergedRows))
		}
		const text = "rcpt: %s: a stray quote seems to have merged rows %s%s: " +
			"only one address of each was verified; correct the quotes and run the command again\n"
		fmt.Fprintf(w, text, name, strings.Join(n.MergedRows, ", "), more)
	}
	if c.Dedupe != "" {
		fmt.Fprintf(w, "Repeated %s: %s left out.\n", c.Dedupe.what(), rowUnit.count(n.Repeated))
	}
	if old := cmp.Or(c.RetryUnknown, c.Since); old != "" {
		from := tty.Printable(old)
		whose := ""
		if c.Since != "" && in.EarlierOf() != list.Ours && in.EarlierOf() != "" {
			whose = " (results of " + in.EarlierOf() + ")"
		}
		fmt.Fprintf(w, "Settled before: %s taken from %s%s.\n", resultUnit.count(in.Taken()), from, whose)
	}
}
