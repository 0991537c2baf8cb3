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
	s := service{listener: listener, engine: config, lists: watch, key: key, details: c.Details, example: "postmaster@example.com"}
	return s.run(ctx, std.err)
}

// service is what "rcpt serve" and "rcpt demo" have in common.
type service struct {
	listener net.Listener // closed at the end
	engine   engine.Config
	lists    *listWatch // nil: the lists stay as they are
	key      apiKey
	details  bool
	example  string // the address in the command line to try
}

// run tells on w where it listens, and serves until ctx is cancelled.
func (s service) run(ctx context.Context, w io.Writer) error {
	defer s.listener.Close()
	logger := s.engine.Logger
	s.engine.Logger = quietly(logger) // the server logs each verification with its request
	verifier, err := engine.New(s.engine)
	if err != nil {
		return err
	}
	front, err := server.New(server.Config{
		Verifier: verifier, Key: s.key.secret, Details: s.details, Timeout: s.engine.Timeout, Logger: logger,
	})
	if err != nil {
		return errors.Join(err, verifier.Close())
	}
	unwatch := s.watchLists(ctx, verifier)
	greet(w, s.listener.Addr(), s.key, s.example)
	err = front.Serve(ctx, s.listener)
	unwatch()
	return errors.Join(err, verifier.Close())
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
