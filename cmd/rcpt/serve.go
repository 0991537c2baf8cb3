package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/linebuffer"
)

// serveCommand is "rcpt serve".
type serveCommand struct {
	engineFlags `group:"Verification"`
	listenFlag
	debugFlag
	databaseFlag
	metricsFlag
	siteFlags
	Remember     int  `placeholder:"N" default:"100000" help:"Results to remember in memory, about; 0: nothing is kept of any. Default: ${default}."`
	ReadyNetwork bool `help:"Let /readyz fail while the check of the network fails."`
	NoPortCheck  bool `hidden:"" help:"As --network-check off."` // its name before there was a check of the resolver
}

// Run serves until ctx is cancelled.
func (c *serveCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	key, err := apiKeyFrom(os.Getenv(apiKeyVariable))
	if err != nil {
		return usage(err)
	}
	logger := logs.logger(std.err, slog.LevelInfo)
	key.warnIfShort(logger)
	watch, err := c.listFlags.watch(logger)
	if err != nil {
		return err
	}
	if c.NoPortCheck {
		c.NetworkCheck = networkCheck(engine.NetworkCheckOff)
	}
	config, err := c.configWith(watch.Lists(), logger)
	if err != nil {
		return err
	}
	config.HELO = helo(ctx, config)
	listener, err := c.listen()
	if err != nil {
		return err
	}
	stopDebug, err := c.debugFlag.start(std.err)
	if err != nil {
		listener.Close()
		return err
	}
	defer stopDebug()
	state, err := c.openState(ctx, key, logger)
	if err != nil {
		listener.Close()
		if ctx.Err() != nil {
			return nil // told to end before it began
		}
		return err
	}
	requests := linebuffer.New(std.err)
	defer requests.Flush()
	s := service{
		listener: listener, engine: config, requests: logs.logger(requests, slog.LevelInfo), lists: watch, basis: c.basis, state: state, remember: c.Remember, metrics: c.metricsFlag, site: c.siteFlags,
		details: c.Details, readyNetwork: c.ReadyNetwork, example: "postmaster@example.com",
	}
	return errors.Join(s.run(ctx, std.err), state.close())
}
