package settings

import (
	"fmt"
	"io"
	"log/slog"
)

// LogFlags configure the log on standard error.
type LogFlags struct {
	LogLevel  logLevel `placeholder:"LEVEL" help:"Lowest level to log: debug, info, warn or error. Default: info; warn for verify."`
	LogFormat string   `placeholder:"FORMAT" enum:"text,json" default:"text" help:"Format of the log: ${enum}. Default: ${default}."`
}

// logLevel is a level, or nil for the default of the command.
type logLevel struct{ chosen *slog.Level }

func (l *logLevel) UnmarshalText(text []byte) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError}
	level, known := levels[string(text)]
	if !known {
		return fmt.Errorf("%q is not a level: use debug, info, warn or error", text)
	}
	l.chosen = &level
	return nil
}

// Logger logs to w from the level of the flag, or else from usual.
func (f LogFlags) Logger(w io.Writer, usual slog.Level) *slog.Logger {
	if f.LogLevel.chosen != nil {
		usual = *f.LogLevel.chosen
	}
	options := &slog.HandlerOptions{Level: usual}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
