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
	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
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
	state, forget, err := demoState(ctx, key, config.Logger)
	if err != nil {
		listener.Close()
		return err
	}
	defer forget()
	s := service{listener: listener, engine: config, state: state, remember: demoResults, example: demo.Cases()[0].Address}
	return errors.Join(s.run(ctx, std.err), state.close())
}

// demoResults are remembered at most.
const demoResults = 1000

// demoState is kept in a folder that goes with the demo.
func demoState(ctx context.Context, key apiKey, logger *slog.Logger) (state *serviceState, forget func(), err error) {
	folder, err := os.MkdirTemp("", "rcpt-demo-")
	if err != nil {
		return nil, nil, err
	}
	forget = func() { _ = os.RemoveAll(folder) }
	opened, err := store.Open(ctx, store.Options{DataDir: folder, Log: logger})
	if err == nil {
		state = &serviceState{store: opened, key: key}
		state.keys, err = keyring.Open(ctx, keyring.Config{Store: opened, Fixed: key.secret, Log: logger})
	}
	if err != nil {
		forget()
		return nil, nil, err
	}
	return state, forget, nil
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
