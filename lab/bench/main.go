// Command bench compares rcpt with its peers in a simulated world of mail on
// loopback; see README.md.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/lab/bench/plan"
	"github.com/rcpt/rcpt/lab/bench/service"
	"github.com/rcpt/rcpt/lab/bench/soak"
	"github.com/rcpt/rcpt/lab/bench/suite"
	"github.com/rcpt/rcpt/lab/bench/world"
)

type cli struct {
	Run       suite.Command         `cmd:"" help:"Run the scenarios, print the table and keep it under results/. Needs to listen on port 25 of loopback addresses."`
	Accuracy  suite.AccuracyCommand `cmd:"" help:"Ask every tool about the situations of rcpt demo, and print how often it is right. Needs to listen on port 25 of loopback addresses."`
	Soak      soak.Command          `cmd:"" help:"Put rcpt under load among hostile mail hosts, and see that it does not grow, get stuck, or say anything untrue."`
	Plan      plan.Command          `cmd:"" help:"Compute how long lists take at the limits of the table of providers; docs/planning.md has the result."`
	World     worldCommand          `cmd:"" hidden:"" help:"Be a world, told by standard input."`
	SoakWorld soakWorldCommand      `cmd:"" hidden:"" help:"Be the world of the soak, told by standard input."`
	Serve     serveCommand          `cmd:"" hidden:"" help:"Be a service, told by standard input."`
}

type worldCommand struct{}

func (worldCommand) Run() error { return world.Control(os.Stdin, os.Stdout) }

type soakWorldCommand struct{}

func (soakWorldCommand) Run() error { return soak.Control(os.Stdin, os.Stdout) }

type serveCommand struct{}

func (serveCommand) Run() error { return service.Control(os.Stdin, os.Stdout) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parsed := kong.Parse(&cli{}, kong.Description("Benchmarks of rcpt and its peers."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	parsed.FatalIfErrorf(parsed.Run())
}
