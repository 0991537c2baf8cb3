package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// doctorCommand is "rcpt doctor".
type doctorCommand struct {
	settings.EngineFlags `group:"Verification"`
}

// Run examines the network and prints what was found. It returns an error if
// verdicts suffer.
func (c *doctorCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	config, err := c.Config(logs.Logger(std.err, slog.LevelWarn))
	if err != nil {
		return err
	}
	config.HELO = settings.HELO(ctx, config)
	report, err := doctor.Run(ctx, doctor.Config{Engine: config})
	if err != nil {
		return err
	}
	if c.JSON || !tty.Is(std.out) {
		err = newEncoder(std.out).Encode(report)
	} else {
		err = report.WriteText(std.out)
	}
	if err == nil && !report.OK {
		err = errSick
	}
	return err
}

var errSick = errors.New("verdicts suffer from the faults above")
