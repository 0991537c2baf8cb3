package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
)

// serveCommand is "rcpt serve".
type serveCommand struct {
	engineFlags
	listenFlag
	debugFlag
	databaseFlag
	metricsFlag
	Remember    int  `placeholder:"N" default:"100000" help:"Results to remember, about, for some hours at most; 0: none. Default: ${default}."`
	NoPortCheck bool `help:"Do not find out at start whether the mail hosts of the world can be reached."`
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
	config, err := c.configWith(watch.source.lists, logger)
	if err != nil {
		return err
	}
	config.HELO, config.Remember = helo(ctx, config), c.Remember
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
	if !c.NoPortCheck && c.Level == engine.LevelSMTP {
		go warnOfClosedPort(ctx, config)
	}
	state, err := c.openState(ctx, key, logger)
	if err != nil {
		listener.Close()
		if ctx.Err() != nil {
			return nil // told to end before it began
		}
		return err
	}
	s := service{
		listener: listener, engine: config, lists: watch, state: state, metrics: c.metricsFlag, details: c.Details, example: "postmaster@example.com",
	}
	return errors.Join(s.run(ctx, std.err), state.close())
}

// service is what "rcpt serve" and "rcpt demo" have in common.
type service struct {
	listener net.Listener // closed at the end
	engine   engine.Config
	lists    *listWatch // nil: the lists stay as they are
	state    *serviceState
	metrics  metricsFlag
	details  bool
	example  string // the address in the command line to try
}

// run tells on w where it listens, and serves until ctx is cancelled.
func (s service) run(ctx context.Context, w io.Writer) error {
	defer s.listener.Close()
	logger := s.engine.Logger
	seen, err := s.figures()
	if err != nil {
		return err
	}
	s.engine.Logger, s.engine.Hooks = quietly(logger), seen.metrics.Hooks() // the server logs each verification with its request
	seen.engine, err = engine.New(s.engine)
	if err != nil {
		return err
	}
	seen.front, err = server.New(server.Config{
		Verifier: seen.engine, Keys: s.state.keys, Record: s.state.record, Ready: s.state.ready,
		Details: s.details, Timeout: s.engine.Timeout, Logger: logger, Hooks: seen.hooks(),
	})
	if err != nil {
		return errors.Join(err, seen.engine.Close())
	}
	hide, err := s.metrics.start(w, seen.metrics.Handler())
	if err != nil {
		return errors.Join(err, seen.engine.Close())
	}
	unwatch := s.watchLists(ctx, seen.engine)
	greet(w, s.listener.Addr(), s.state.key, s.example)
	err = seen.front.Serve(ctx, s.listener)
	unwatch()
	hide()
	return errors.Join(err, seen.engine.Close())
}

// watchLists keeps the verifier's lists up to date until it is told to stop.
func (s service) watchLists(ctx context.Context, verifier *engine.Verifier) (stop func()) {
	if s.lists == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { s.lists.run(ctx, verifier.SetLists) })
	return func() {
		cancel()
		watch.Wait()
	}
}
