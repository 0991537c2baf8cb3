package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/server/client"
)

// mcpCommand is "rcpt mcp".
type mcpCommand struct {
	Engine settings.EngineFlags `embed:"" group:"Verification"`
	URL    string               `name:"url" placeholder:"URL" help:"Ask the service at this URL, with the key in RCPT_API_KEY, and not the mail hosts; the flags of verifications then have no effect. Default: the mail hosts are asked."`
}

// Bounds of a session.
const (
	// callTime bounds a call. Clients wait a minute by default; what was found
	// until then is better than nothing.
	callTime = 50 * time.Second
	// maxCall is the longest message of a client, in octets. A hundred
	// addresses have less than a tenth.
	maxCall = 1 << 20
	// rememberedByAgent is how many results are kept for agents that ask again,
	// as for what was not found in time.
	rememberedByAgent = 10_000
)

// Run serves one session of the Model Context Protocol on the standard streams.
// It ends with standard input or with ctx, and calls in progress end with it.
func (c *mcpCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	tools, end, err := c.tools(ctx, logs.Logger(std.err, slog.LevelWarn))
	if err != nil {
		return err
	}
	if tty.Is(std.in) {
		fmt.Fprintln(std.err, "rcpt mcp is for an agent, which starts it and talks to it in JSON; Ctrl-D ends it.")
	}
	transport := &mcp.IOTransport{Reader: std.in, Writer: leftOpen{std.out}, MaxLineLength: maxCall}
	err = tools.server(ctx).Run(ctx, transport)
	if ctx.Err() != nil { // it was asked to end
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("the session with the agent ended: %w", err)
	}
	return errors.Join(err, end())
}

// leftOpen is standard output, which the process closes.
type leftOpen struct{ io.Writer }

func (leftOpen) Close() error { return nil }

// tools returns the tools, and a function that ends what they use.
func (c *mcpCommand) tools(ctx context.Context, logger *slog.Logger) (t agentTools, end func() error, err error) {
	if t.classifier, err = c.Engine.Classifier(); err != nil {
		return t, nil, err
	}
	if c.URL != "" {
		t.fault = func() string { return "" } // its operator sees it
		t.verify, err = atService(c.URL, os.Getenv(keyring.FixedVariable))
		return t, func() error { return nil }, err
	}
	config, err := c.Engine.Config(logger)
	if err != nil {
		return t, nil, err
	}
	config.HELO, config.ControlSecret = settings.HELO(ctx, config), c.Engine.ControlSecret(logger)
	config.MaxRemembered = rememberedByAgent
	verifier, err := engine.New(config)
	if err != nil {
		return t, nil, err
	}
	t.verify = func(ctx context.Context, addresses []string) iter.Seq2[int, engine.Outcome] {
		return verifier.VerifyAll(ctx, addresses, engine.VerifyOptions{Clean: true})
	}
	t.fault = func() string {
		if err := doctor.NetworkError(verifier.Network()); err != nil {
			return fmt.Sprintf("What is unknown says nothing about the addresses: %v\n", err)
		}
		return ""
	}
	return t, verifier.Close, nil
}

// atService returns what verifies addresses by a service.
func atService(url, key string) (verifyAddresses, error) {
	if key == "" {
		return nil, usage(errors.New("there is no key for the service of --url: set " + keyring.FixedVariable))
	}
	service, err := client.New(client.Config{URL: url, Key: key})
	if err != nil {
		return nil, usage(err)
	}
	return byClient(service), nil
}

func byClient(service *client.Client) verifyAddresses {
	return func(ctx context.Context, addresses []string) iter.Seq2[int, engine.Outcome] {
		return func(yield func(int, engine.Outcome) bool) {
			for i, outcome := range service.VerifyAll(ctx, addresses, client.VerifyOptions{Clean: true}) {
				if !yield(i, engine.Outcome(outcome)) {
					return
				}
			}
		}
	}
}
