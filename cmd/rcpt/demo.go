package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/demo"
	"github.com/rcpt/rcpt/engine"
)

// demoCommand is "rcpt demo".
type demoCommand struct {
	listenFlag
}

// Run serves the demo's world until ctx is cancelled.
func (c *demoCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	key, err := apiKeyFrom(os.Getenv(apiKeyVariable))
	if err != nil {
		return usage(err)
	}
	world, err := demo.New()
	if err != nil {
		return err
	}
	defer world.Close()
	listener, err := c.listen()
	if err != nil {
		return err
	}
	if err := writeCases(std.out, demo.Cases()); err != nil {
		listener.Close()
		return err
	}
	config := world.Config()
	config.Timeout = engine.DefaultTimeout
	config.Logger = logs.logger(std.err, slog.LevelInfo)
	state, err := fixedState(ctx, key)
	if err != nil {
		listener.Close()
		return err
	}
	s := service{listener: listener, engine: config, state: state, example: demo.Cases()[0].Address}
	return errors.Join(s.run(ctx, std.err), state.close())
}

// writeCases prints the addresses to try.
func writeCases(w io.Writer, cases []demo.Case) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "A mail world in this process; nothing is sent anywhere. Addresses to try:")
	fmt.Fprintln(table)
	fmt.Fprintln(table, "ADDRESS\tRESULT\tREASON\tABOUT")
	for _, c := range cases {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Address, c.Verdict, c.Reason, c.About)
	}
	fmt.Fprintln(table)
	return table.Flush()
}
