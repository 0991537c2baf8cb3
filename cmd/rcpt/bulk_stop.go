package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// stops tells the first signal, after which a run finishes what is under way, from the second, after which it stops at once. A third one
// kills.
type stops struct {
	drain   <-chan struct{} // closed by the first
	ctx     context.Context // cancelled by the second
	release func()
}

// listenForStops listens for signals until it is released.
func listenForStops(parent context.Context, stderr *os.File) *stops {
	notice := "rcpt: finishing what was read of the list; once more to stop at once"
	if isTerminal(stderr) {
		notice = "\n" + notice // below the live line
	}
	drain := make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup wants
		signal.Notify(signals, syscall.SIGHUP) // the terminal is closed
	}
	go func() {
		defer signal.Stop(signals)
		select {
		case <-signals:
			fmt.Fprintln(stderr, notice)
		case <-ctx.Done():
			return
		}
		close(drain)
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return &stops{drain: drain, ctx: ctx, release: cancel}
}
