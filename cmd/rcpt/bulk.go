package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/sys/quietlog"
)

// bulkCommand is "rcpt bulk".
type bulkCommand struct {
	settings.EngineFlags `group:"Verification"`
	debugFlag
	Input        string         `arg:"" optional:"" help:"List of addresses: .csv, .tsv, .txt, .json, .jsonl, .ndjson, .xlsx, .html, .vcf or .ldif, also with .gz or .zst behind it or in a .zip; or - for standard input."`
	Output       outputName     `short:"o" placeholder:"FILE" help:"Write the rows with their results to this .csv, .jsonl or .xlsx file; .csv.gz, .csv.zst and the like are compressed. Default: standard output."`
	Overwrite    bool           `help:"Replace an existing OUTPUT."`
	Resume       bool           `help:"Continue a run to OUTPUT that was interrupted or killed; give the same arguments."`
	Only         []onlyResult   `placeholder:"RESULT" help:"Write only the rows with this result: deliverable, accept-all, undeliverable, unknown, several or empty; or of this group: safe, risky, bad, retry or none. Repeatable."`
	Split        bool           `help:"Also write five files beside OUTPUT, one for each group of rows: NAME.safe.csv, .risky.csv, .bad.csv, .retry.csv and .none.csv (no address)."`
	FailAbove    []limit        `placeholder:"KEY=SHARE" help:"End with exit code 3, after all is written, if more of the addresses have a result or are of a group: undeliverable=2%, or bad=100 for a number. Repeatable."`
	CSVRaw       bool           `name:"csv-raw" help:"Leave the cells of the list unchanged, even those that a spreadsheet takes for formulas."`
	Column       []string       `placeholder:"NAME" sep:"none" help:"Column of the addresses, by name or number; for JSON the field. Repeatable: each column gets results of its own. Default: guessed."`
	Sheet        string         `placeholder:"NAME" help:"Sheet to read of a spreadsheet. Default: the one that holds addresses."`
	HeaderRow    headerRow      `placeholder:"N" help:"Row that names the columns, from 1; 0: none does. Default: found, also below a title."`
	Encoding     string         `placeholder:"NAME" help:"Encoding of a list that is text, such as windows-1251, shift_jis or cp850. Default: guessed; a byte order mark is surer than this."`
	Dedupe       dedupe         `help:"Leave out rows whose addresses were in rows before. With \"--dedupe canonical\": whose addresses reach the mailboxes of rows before by the rules of their providers."`
	Sample       settings.Count `placeholder:"N" help:"Verify and write only N rows, chosen at random, and estimate the shares in the whole list."`
	Seed         uint64         `placeholder:"N" default:"1" help:"Choose other rows for --sample; the same number chooses the same rows. Default: ${default}."`
	RetryUnknown string         `placeholder:"OLD" help:"Take settled results from OLD, the output of an earlier run, and verify the other addresses again. INPUT may be left out: it is OLD then."`
	Since        string         `placeholder:"OLD" help:"Take settled results from OLD, by the address, and verify only addresses that are new or whose result is older than --since-max-age. OLD is the output of an earlier run over any list, or the result file of ZeroBounce, NeverBounce, Kickbox, Bouncer, Emailable, MillionVerifier, DeBounce, Bouncify or Reacher."`
	SinceMaxAge  maxAge         `placeholder:"AGE" aliases:"max-age" help:"How old a result of --since may be, in days or hours. Default: 90d, and 30d where OLD does not say when it was found."`
	Concurrency  settings.Count `placeholder:"N" default:"500" help:"Number of addresses verified at a time, not counting those that wait for their mail host or its provider. Default: ${default}."`
	RetryWindow  retryWindow    `placeholder:"DUR" default:"30m" help:"How long temporary answers are retried; 0s: not at all. Default: ${default}."`
	State        string         `placeholder:"DIR" help:"Folder for the journal, and for results that do not fit in memory. Default: the journal is beside OUTPUT, the rest in the folder for temporary files."`
	NoProgress   bool           `help:"Do not show the progress."`
}

// headerRow is [list.Options.HeaderRow]; "0" is [list.NoHeader].
type headerRow int

func (h *headerRow) UnmarshalText(text []byte) error {
	number, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not the number of a row: write a number from 1, or 0 for none", text)
	}
	if *h = headerRow(number); number == 0 {
		*h = list.NoHeader
	}
	return nil
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

// maxAge is a number of days or hours.
type maxAge time.Duration

func (a *maxAge) UnmarshalText(text []byte) error {
	age, err := list.ReadAge(string(text))
	*a = maxAge(age)
	return err
}

// Run verifies the list. It checks all arguments before it touches the output.
func (c *bulkCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	stop := listenForStops(ctx, std.err)
	defer stop.release()
	if err := c.makeState(); err != nil {
		return err
	}
	if c.Input == "" {
		if c.Input = c.RetryUnknown; c.Input == "" {
			const format = "there is no list: name a file, or write - to read standard input (see rcpt bulk --help)"
			return usage(errors.New(format))
		}
	}
	input, err := c.openInput(std, stop.drain)
	if err != nil {
		return err
	}
	defer input.Close()
	format, err := c.outputFormat(input.Format())
	if err != nil {
		return err
	}
	writer, err := list.NewWriter(input.Reader, format)
	if err != nil {
		return c.inputError(err)
	}
	stopDebug, err := c.debugFlag.start(std.err)
	if err != nil {
		return err
	}
	defer stopDebug()
	printColumns(std.err, input)
	view, logger := c.viewFor(std, logs)
	stop.sayTo(besides(view, std.err))
	var network networkStop
	verifier, err := c.verifier(ctx, logger, network.observe)
	if err != nil {
		return err
	}
	input.UseLists(verifier.Lists())
	journal, output, err := c.openFiles(std, input, writer)
	if err != nil {
		return errors.Join(c.unlessClosed(err), verifier.Close())
	}
	err = c.work(stop, bulkRun{input, output, journal, verifier, view, logger, &network}, std.err)
	return errors.Join(err, verifier.Close())
}

// openFiles opens the journal, which may be nil, and the output.
func (c *bulkCommand) openFiles(
	std terminal, input *file.Input, writer *list.Writer,
) (*bulk.Journal, *file.Output, error) {
	if err := c.checkUnfinished(); err != nil {
		return nil, nil, err
	}
	if err := c.checkOutput(input); err != nil {
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

// bulkRun holds the parts of a run.
type bulkRun struct {
	input    *file.Input
	output   *file.Output
	journal  *bulk.Journal // may be nil
	verifier *engine.Verifier
	view     progressView
	logger   *slog.Logger
	network  *networkStop
}

// work verifies all rows and prints the summary.
func (c *bulkCommand) work(stop *stops, run bulkRun, stderr *os.File) error {
	ctx, cancel := context.WithCancelCause(stop.ctx)
	defer cancel(nil)
	run.network.cancelWith(cancel)
	go doctor.KeepChecking(ctx, run.verifier)
	watch := &paceWatch{
		pacing: run.verifier.Pacing, paced: run.verifier.Paced, network: run.network.what, total: run.input.Total,
		now: time.Now, refused: map[string]float64{},
	}
	keeper, err := c.keepPace(run)
	if err != nil {
		return err
	}
	summary, err := bulk.Run(ctx, run.input, run.output, bulk.Options{
		Verifier:     run.verifier,
		Concurrency:  int(c.Concurrency),
		PerRow:       run.input.AddressesPerRow(),
		RetryWindow:  time.Duration(c.RetryWindow),
		SpillDir:     c.State,
		Journal:      run.journal,
		Logger:       run.logger,
		Offline:      func() bool { return run.network.what() != "" },
		Drain:        stop.drain,
		Trim:         c.trim,
		WorstDomains: worstDomains,
		Progress: func(p bulk.Progress) {
			if err := run.output.Flush(ctx); err != nil {
				cancel(err)
			}
			if err := keeper.nowAndThen(); err != nil {
				cancel(err)
			}
			run.view.show(p, watch.observe(p))
		},
	})
	run.view.close()
	written, closeErr := run.output.Close()
	if err := cmp.Or(closeErr, err); err != nil && c.unlessClosed(err) == nil {
		return nil
	}
	c.printNotes(stderr, run.input)
	err = c.runError(stop, run, summary, cmp.Or(closeErr, err))
	report := c.report(run, summary, written)
	watch.observe(bulk.Progress{}) // of what happened after the last progress
	report.harvested = watch.harvested()
	if err != nil {
		report.again = "" // the run itself can be continued
	}
	writeSummary(stderr, report)
	err = errors.Join(c.endJournal(run, err, written[0]), keeper.end())
	if err != nil {
		return err
	}
	return checkLimits(c.FailAbove, report)
}

// runError is the error of a run that ended with err, or ended early.
func (c *bulkCommand) runError(stop *stops, run bulkRun, summary bulk.Summary, err error) error {
	notes := run.input.Notes()
	switch {
	case run.output.Err() != nil:
		return run.output.Err()
	case notes.Failed != nil:
		return c.inputError(notes.Failed)
	case run.network.failure() != nil:
		return run.network.failure()
	case err == nil && (summary.Drained || notes.Stopped) || stop.ctx.Err() != nil:
		return file.ErrInterrupted
	}
	return err
}

// unlessClosed returns the error, or nil if it says that the reader of standard
// output closed it, as head does.
func (c *bulkCommand) unlessClosed(err error) error {
	if c.toStdout() && errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// trim removes from a result what the output does not show: results wait in
// memory for their turn.
func (c *bulkCommand) trim(r rcpt.Result) rcpt.Result {
	if c.Details {
		return r
	}
	if c.Since == "" {
		r.CheckedAt = time.Time{}
	}
	return r.WithoutDetails()
}

// makeState creates the folder of --state.
func (c *bulkCommand) makeState() error {
	if c.State == "" {
		return nil
	}
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return usage(fmt.Errorf("--state: %w", err))
	}
	return nil
}

// verifier makes the engine. It logs each address at the debug level only.
func (c *bulkCommand) verifier(
	ctx context.Context, logger *slog.Logger, network func(engine.NetworkStatus),
) (*engine.Verifier, error) {
	config, err := c.Config(quietlog.New(logger))
	if err != nil {
		return nil, err
	}
	config.HELO, config.ControlSecret = settings.HELO(ctx, config), c.ControlSecret(logger)
	config.Hooks.Network = network
	config.PaceMemory = c.paceMemory(logger)
	return engine.New(config)
}

// stops are the signals to a run. After the first the run finishes what is
// being asked, after the second it stops at once, and the third kills the
// process.
type stops struct {
	drain   <-chan struct{} // closed by the first
	ctx     context.Context // canceled by the second
	release func()

	mu  sync.Mutex
	out io.Writer // for notices
}

// listenForStops listens for signals until release is called.
func listenForStops(parent context.Context, stderr *os.File) *stops {
	const notice = "rcpt: finishing what is being asked; interrupt again to stop at once"
	drain := make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	s := &stops{drain: drain, ctx: ctx, release: cancel, out: stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP) // the terminal was closed
	}
	go func() {
		defer signal.Stop(signals)
		select {
		case <-signals:
			fmt.Fprintln(s.notices(), notice)
		case <-ctx.Done():
			return
		}
		close(drain)
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return s
}

// sayTo sets where notices go.
func (s *stops) sayTo(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = out
}

func (s *stops) notices() io.Writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out
}
