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
