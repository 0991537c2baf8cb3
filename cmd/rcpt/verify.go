package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine"
)

// verifyCommand is "rcpt verify".
type verifyCommand struct {
	engineFlags `group:"Verification"`
	Addresses   []string `arg:"" optional:"" name:"address" help:"Addresses to verify; or - to read them from standard input, an address or a JSON object with \"email\" per line."`
}

// Run prints one answer for each address, in their order.
func (c *verifyCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	questions, err := c.questions(std.in)
	if err != nil {
		return err
	}
	config, err := c.config(logs.logger(std.err, slog.LevelWarn))
	if err != nil {
		return err
	}
	config.HELO = helo(ctx, config)
	verifier, err := engine.New(config)
	if err != nil {
		return err
	}
	err = answerAll(ctx, verifier, questions, printerFor(std.out, c.JSON, c.Details), std.err)
	if err == nil {
		err = faultOf(verifier.Network())
	}
	return errors.Join(err, verifier.Close())
}

func (c *verifyCommand) questions(stdin io.Reader) (iter.Seq[question], error) {
	if err := c.checkAddresses(); err != nil {
		return nil, usage(err)
	}
	if !slices.Contains(c.Addresses, "-") {
		return arguments(c.Addresses), nil
	}
	if len(c.Addresses) > 1 {
		return nil, usage(errors.New(`"-" reads the addresses from standard input and stands alone: leave the other addresses out`))
	}
	return lines(stdin), nil
}

// checkAddresses refuses to verify nothing, or the name of a list.
func (c *verifyCommand) checkAddresses() error {
	if len(c.Addresses) == 0 {
		return errors.New(`there is no address: write one or more, or "-" to read them from standard input (see rcpt verify --help)`)
	}
	for _, argument := range c.Addresses {
		if looksLikeList(argument) {
			return fmt.Errorf("%s is a list, not an address: use rcpt bulk %s", argument, argument)
		}
	}
	return nil
}

// looksLikeList tells whether an argument is the name of a list of addresses.
func looksLikeList(argument string) bool {
	if strings.Contains(argument, "@") {
		return false
	}
	if tabular.FormatOf(argument) != "" {
		return true
	}
	info, err := os.Stat(argument)
	return err == nil && info.Mode().IsRegular()
}

// verifier is what the command asks of the engine.
type verifier interface {
	Verify(ctx context.Context, address string) (engine.Result, error)
}

// printer shows one answer.
type printer interface {
	print(engine.Result) error
}

// answerAll verifies what questions ask and prints the answers in order. When ctx is cancelled it prints what is done. The error says what
// could not be answered.
func answerAll(ctx context.Context, v verifier, questions iter.Seq[question], out printer, stderr io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed, dropped int
	for reply := range inOrder(ctx, v, questions) {
		if reply.err != nil && ctx.Err() != nil {
			dropped++
			continue
		}
		if reply.err != nil {
			failed++
			tell(stderr, reply.err)
		}
		if err := out.print(reply.result); err != nil {
			return fmt.Errorf("cannot write the answers: %w", err)
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

// window is how many addresses are verified at a time. The engine bounds the sessions per mail host; this bounds the memory for answers
// that wait for the one before them.
const window = 64

// answer is what came of a question. With an error the result says for people that there is none.
type answer struct {
	result engine.Result
	err    error
}

// inOrder verifies what questions ask, [window] at a time, and yields the answers in the order of the questions, each as soon as those
// before it are out. A reader that blocks does not hold up the answers to what was read before, nor the end when ctx is cancelled.
func inOrder(ctx context.Context, v verifier, questions iter.Seq[question]) iter.Seq[answer] {
	return func(yield func(answer) bool) {
		ctx, cancel := context.WithCancel(ctx)
		waiting := make(chan chan answer, window)
		defer drain(waiting, func(answer) bool { return true }) // so that no verification runs any more
		defer cancel()
		go ask(ctx, v, questions, waiting)
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

// ask starts a verification for each question and queues where its answer will be. The queue's capacity is what bounds them.
func ask(ctx context.Context, v verifier, questions iter.Seq[question], waiting chan<- chan answer) {
	defer close(waiting)
	for q := range questions {
		next := make(chan answer, 1)
		select {
		case waiting <- next:
			go func() { next <- answerTo(ctx, v, q) }()
		case <-ctx.Done():
			return
		}
	}
}

// drain yields the answers to what was asked before ctx was cancelled.
func drain(waiting <-chan chan answer, yield func(answer) bool) {
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

func answerTo(ctx context.Context, v verifier, q question) answer {
	if q.err != nil {
		return answer{result: unanswerable(q), err: q.err}
	}
	result, err := engine.VerifyText(ctx, v, q.address)
	return answer{result: result, err: err}
}

// unanswerable is the record of a line that does not hold an address, so that every line has its answer.
func unanswerable(q question) engine.Result {
	return engine.Result{
		Email:   q.address,
		Verdict: engine.Unknown,
		Message: "Not verified: " + q.err.Error() + ".",
		Details: &engine.Details{Reason: engine.InternalError, CatchAll: engine.CatchAllUnknown, CheckedAt: time.Now().UTC()},
	}
}
