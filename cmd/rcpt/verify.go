package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/list/file"
)

// verifyCommand is "rcpt verify".
type verifyCommand struct {
	settings.EngineFlags `group:"Verification"`
	Addresses            []string `arg:"" optional:"" name:"address" help:"Addresses to verify; or - to read them from standard input, an address or a JSON object with \"email\" per line."`
}

// Run prints one result for each address, in their order.
func (c *verifyCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal was closed
		defer stop()
	}
	lines, err := c.lines(std.in)
	if err != nil {
		return err
	}
	logger := logs.Logger(std.err, slog.LevelWarn)
	config, err := c.Config(logger)
	if err != nil {
		return err
	}
	config.HELO, config.ControlSecret = settings.HELO(ctx, config), c.ControlSecret(logger)
	verifier, err := engine.New(config)
	if err != nil {
		return err
	}
	err = verifyAll(ctx, patient{verifier, new(engine.Caller)}, lines, printerFor(std.out, c.JSON, c.Details), std.err)
	if err == nil {
		err = doctor.NetworkError(verifier.Network())
	}
	return errors.Join(err, verifier.Close())
}

// lines are the arguments, or the lines of standard input.
func (c *verifyCommand) lines(stdin io.Reader) (iter.Seq[file.Line], error) {
	if err := c.checkAddresses(); err != nil {
		return nil, usage(err)
	}
	return linesOf(c.Addresses, stdin)
}

// linesOf are the arguments, or the lines of standard input.
func linesOf(addresses []string, stdin io.Reader) (iter.Seq[file.Line], error) {
	if !slices.Contains(addresses, stdio) {
		return arguments(addresses), nil
	}
	if len(addresses) > 1 {
		return nil, usage(errors.New(`"-" reads the addresses from standard input: leave the other addresses out`))
	}
	return file.Lines(stdin), nil
}

func arguments(addresses []string) iter.Seq[file.Line] {
	return func(yield func(file.Line) bool) {
		for _, address := range addresses {
			if !yield(file.Line{Address: address}) {
				return
			}
		}
	}
}

// checkAddresses fails if there is no address, or the name of a list.
func (c *verifyCommand) checkAddresses() error {
	if len(c.Addresses) == 0 {
		const text = `there is no address: write one or more, ` +
			`or "-" to read them from standard input (see rcpt verify --help)`
		return errors.New(text)
	}
	for _, argument := range c.Addresses {
		if looksLikeList(argument) {
			return fmt.Errorf("%s is a list, not an address: use rcpt bulk %s", argument, argument)
		}
	}
	return nil
}

// looksLikeList reports whether an argument is the name of a list of addresses.
func looksLikeList(argument string) bool {
	if strings.Contains(argument, "@") {
		return false
	}
	if list.FormatOf(argument) != "" {
		return true
	}
	info, err := os.Stat(argument)
	return err == nil && info.Mode().IsRegular()
}

// verifier is the part of the engine that verifies the address in a text.
type verifier interface {
	Verify(ctx context.Context, address string) (rcpt.Result, error)
}

// patient verifies the addresses in texts as those of a list: they wait for
// sessions beyond the time limit, as they have each other to wait for.
type patient struct {
	*engine.Verifier
	list *engine.Caller
}

// Verify implements [verifier].
func (p patient) Verify(ctx context.Context, text string) (result rcpt.Result, err error) {
	o := engine.GroupOptions{Clean: true, Caller: p.list}
	p.VerifyGroup(ctx, []string{text}, o, func(_ int, r rcpt.Result, e error) { result, err = r, e })
	return result, err
}

// printer prints a result.
type printer interface {
	print(rcpt.Result) error
}

// verifyAll verifies lines and prints the results in their order. If ctx is
// canceled, it prints the results there are. The error says how many addresses
// were not verified.
func verifyAll(
	ctx context.Context, v verifier, lines iter.Seq[file.Line], out printer, stderr io.Writer,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed, dropped int
	for outcome := range inOrder(ctx, v, lines) {
		if outcome.err != nil && ctx.Err() != nil {
			dropped++
			continue
		}
		if outcome.err != nil {
			failed++
			printError(stderr, outcome.err)
		}
		if err := out.print(outcome.result); err != nil {
			return fmt.Errorf("cannot write the results: %w", err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted; addresses read but not verified: %d", dropped)
	case failed > 0:
		return fmt.Errorf("not verified: %d", failed)
	}
	return nil
}

// window is how many addresses are verified at a time. The engine bounds the
// sessions per mail host; this bounds the memory for results that wait for an
// earlier one.
const window = 64

// outcome is the result for a line. With an error the result has the message.
type outcome struct {
	result rcpt.Result
	err    error
}

// inOrder verifies lines, [window] at a time, and yields their outcomes in the
// order of the lines, each as soon as possible. If reading the next line
// blocks, the outcomes of the lines before are still yielded, and canceling ctx
// still ends the loop.
func inOrder(ctx context.Context, v verifier, lines iter.Seq[file.Line]) iter.Seq[outcome] {
	return func(yield func(outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		waiting := make(chan chan outcome, window)
		defer drain(waiting, func(outcome) bool { return true }) // wait for all verifications
		defer cancel()
		go startAll(ctx, v, lines, waiting)
		for {
			select {
			case next, more := <-waiting:
				if !more || !yield(<-next) {
					return
				}
			case <-ctx.Done():
				drain(waiting, yield)
				return
			}
		}
	}
}

// startAll starts a verification for each line and queues the channel of its
// outcome. The capacity of the queue bounds their number.
func startAll(ctx context.Context, v verifier, lines iter.Seq[file.Line], waiting chan<- chan outcome) {
	defer close(waiting)
	for line := range lines {
		next := make(chan outcome, 1)
		select {
		case waiting <- next:
			go func() { next <- outcomeOf(ctx, v, line) }()
		case <-ctx.Done():
			return
		}
	}
}

// drain yields the outcomes of the verifications that were started.
func drain(waiting <-chan chan outcome, yield func(outcome) bool) {
	for {
		select {
		case next, more := <-waiting:
			if !more || !yield(<-next) {
				return
			}
		default:
			return
		}
	}
}

func outcomeOf(ctx context.Context, v verifier, line file.Line) outcome {
	if line.Err != nil {
		return outcome{result: line.Result(), err: line.Err}
	}
	result, err := v.Verify(ctx, line.Address)
	return outcome{result: result, err: err}
}
