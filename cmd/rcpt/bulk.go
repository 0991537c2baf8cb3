package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine"
)

// bulkCommand is "rcpt bulk".
type bulkCommand struct {
	engineFlags `group:"Verification"`
	debugFlag
	Input        string        `arg:"" optional:"" help:"List of addresses: .csv, .tsv, .txt, .json, .jsonl or .ndjson; or - for standard input."`
	Output       outputName    `short:"o" placeholder:"FILE" help:"Write the rows with their results to this .csv or .jsonl file. Default: standard output."`
	Overwrite    bool          `help:"Replace an OUTPUT that is there already."`
	Resume       bool          `help:"Go on with a run to OUTPUT that was interrupted or killed; give the same arguments."`
	Only         []onlyResult  `placeholder:"RESULT" help:"Write the rows with this result alone: deliverable, accept-all, undeliverable, unknown, several or empty; repeatable."`
	Split        bool          `help:"Write four more files beside OUTPUT, by what to do with the rows: NAME.deliverable.csv, .risky.csv, .bad.csv and .retry.csv."`
	CSVRaw       bool          `name:"csv-raw" help:"Leave cells of the list as they are, also those that a spreadsheet takes for formulas."`
	Column       []string      `placeholder:"NAME" sep:"none" help:"Column of the addresses, by name or number; for JSON the field. Repeatable: each has results of its own. Default: guessed; email."`
	Dedupe       bool          `help:"Leave out rows whose addresses were there before."`
	RetryUnknown string        `placeholder:"OLD" help:"Take what is settled from this output of an earlier run, and ask again only about what is unknown. INPUT may be left out: it is OLD then."`
	Concurrency  positiveCount `placeholder:"N" default:"500" help:"Addresses asked about at a time; those that wait for a busy mail host do not count. Default: ${default}."`
	RetryWindow  retryWindow   `placeholder:"DUR" default:"30m" help:"How long temporary answers are retried before the final word; 0s: not at all. Default: ${default}."`
	State        string        `placeholder:"DIR" help:"Folder for the journal, and for what does not fit in memory. Default: the journal is beside OUTPUT, the rest in the folder for temporary files."`
	NoProgress   bool          `help:"Do not show how far the run is."`
}

// retryWindow is a duration that may be zero.
type retryWindow time.Duration

func (w *retryWindow) UnmarshalText(text []byte) error {
	duration, err := time.ParseDuration(string(text))
	if err != nil || duration < 0 {
		return fmt.Errorf("%q is not a duration: use a number and a unit, such as 30m, or 0s for no retries", text)
	}
	*w = retryWindow(duration)
	return nil
}

// Run verifies the list. Everything that can be wrong with the call is found out before the output is touched.
func (c *bulkCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	stop := listenForStops(ctx, std.err)
	defer stop.release()
	if err := c.checkState(); err != nil {
		return err
	}
	if c.Input == "" {
		if c.Input = c.RetryUnknown; c.Input == "" {
			return usage(errors.New("there is no list: name a file, or write - to read standard input (see rcpt bulk --help)"))
		}
	}
	input, err := c.openInput(std, stop.drain)
	if err != nil {
		return err
	}
	defer input.close()
	format, err := c.outputFormat(input.Format())
	if err != nil {
		return err
	}
	writer, err := tabular.NewWriter(input.Reader, format)
	if err != nil {
		return c.inputError(err)
	}
	stopDebug, err := c.debugFlag.start(std.err)
	if err != nil {
		return err
	}
	defer stopDebug()
	tellColumns(std.err, input)
	view, logger := c.viewFor(std, input, logs)
	var network networkStop
	verifier, err := c.verifier(ctx, logger, network.told)
	if err != nil {
		return err
	}
	journal, output, err := c.openFiles(std, input, writer)
	if err != nil {
		return errors.Join(c.unlessUnread(err), verifier.Close())
	}
	err = c.work(stop, bulkRun{input, output, journal, verifier, view, logger, &network}, std.err)
	return errors.Join(err, verifier.Close())
}

// openFiles opens what is written to. The journal is nil where there is none.
func (c *bulkCommand) openFiles(std terminal, input *listInput, writer *tabular.Writer) (*bulk.Journal, *listOutput, error) {
	if err := c.noneLeft(); err != nil {
		return nil, nil, err
	}
	if err := c.mayWrite(input); err != nil {
		return nil, nil, err
	}
	journal, err := c.openJournal(input)
	if err != nil {
		return nil, nil, err
	}
	output, err := c.openOutput(std, input, writer)
	switch {
	case err == nil || journal == nil:
	case c.Resume:
		err = errors.Join(err, journal.Close())
	default:
		err = errors.Join(err, journal.Remove())
	}
	return journal, output, err
}

// bulkRun is what a run works with.
type bulkRun struct {
	input    *listInput
	output   *listOutput
	journal  *bulk.Journal
	verifier *engine.Verifier
	view     progressView
	logger   *slog.Logger
	network  *networkStop
}

// work verifies all rows, and tells what came of it.
func (c *bulkCommand) work(stop *stops, run bulkRun, stderr *os.File) error {
	ctx, cancel := context.WithCancelCause(stop.ctx)
	defer cancel(nil)
	run.network.ends(cancel)
	summary, err := bulk.Run(ctx, run.input, run.output, bulk.Options{
		Verifier:    rowVerifier{run.verifier},
		Concurrency: int(c.Concurrency),
		RetryWindow: time.Duration(c.RetryWindow),
		SpillDir:    c.State,
		Journal:     run.journal,
		Logger:      run.logger,
		Drain:       stop.drain,
		Trim:        c.trim,
		Progress: func(p bulk.Progress) {
			if err := run.output.flush(); err != nil {
				cancel(err)
			}
			run.view.show(p)
		},
	})
	run.view.close()
	written, closeErr := run.output.close()
	if err := cmp.Or(closeErr, err); err != nil && c.unlessUnread(err) == nil {
		return nil
	}
	c.tellNotes(stderr, run.input.came(), run.input.former)
	err = c.whyEnded(stop, run, summary, cmp.Or(closeErr, err))
	report := c.report(run, summary, written)
	if err != nil {
		report.again = "" // the run itself can go on
	}
	writeSummary(stderr, report)
	return c.endJournal(run, err, written[0])
}

// whyEnded is the error of a run: err is what ended it, if anything did.
func (c *bulkCommand) whyEnded(stop *stops, run bulkRun, summary bulk.Summary, err error) error {
	notes := run.input.came()
	switch {
	case run.output.failed() != nil:
		return run.output.failed()
	case notes.failed != nil:
		return c.inputError(notes.failed)
	case run.network.found() != nil:
		return run.network.found()
	case err == nil && (summary.Drained || notes.stopped) || stop.ctx.Err() != nil:
		return errInterrupted
	}
	return err
}

// unlessUnread is the error, unless it says that nobody reads standard output any more: whoever did, as head does, has all they want.
func (c *bulkCommand) unlessUnread(err error) error {
	if c.toStdout() && errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// report is what the summary tells.
func (c *bulkCommand) report(run bulkRun, summary bulk.Summary, written []int64) bulkReport {
	r := bulkReport{Summary: summary, total: run.input.total(), unit: c.unit()}
	if !c.toStdout() {
		var files []writtenFile
		for i, name := range c.outputNames() {
			files = append(files, writtenFile{name, written[i]})
		}
		r.output, r.parts = files[0], files[1:]
		r.again = c.askAgain()
	}
	return r
}

// unit is what is counted: each address of a row has a result.
func (c *bulkCommand) unit() string {
	if len(c.Column) > 1 {
		return addressUnit
	}
	return rowUnit
}

// askAgain is the command that asks again about what is unknown in the output; empty where not all rows are in it.
func (c *bulkCommand) askAgain() string {
	if len(c.Only) > 0 {
		return ""
	}
	words := []string{"rcpt", "bulk", "--retry-unknown", string(c.Output), "-o", besides(string(c.Output), "again")}
	for _, column := range c.Column {
		words = append(words, "--column", column)
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

// trim leaves out of a result what the output does not show: it may have to wait for its turn.
func (c *bulkCommand) trim(r engine.Result) engine.Result {
	if r.Details != nil && !c.Details {
		r.Details = &engine.Details{Reason: r.Details.Reason, RetryAfter: r.Details.RetryAfter, Suggestion: r.Details.Suggestion}
	}
	return r
}

func (c *bulkCommand) checkState() error {
	if c.State == "" {
		return nil
	}
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return usage(fmt.Errorf("--state: %w", err))
	}
	return nil
}

// verifier is the engine. Its line for each address would drown everything else in the log.
func (c *bulkCommand) verifier(ctx context.Context, logger *slog.Logger, network func(engine.NetworkStatus)) (*engine.Verifier, error) {
	config, err := c.config(quietly(logger))
	if err != nil {
		return nil, err
	}
	config.HELO = helo(ctx, config)
	config.Hooks.Network = network
	return engine.New(config)
}
