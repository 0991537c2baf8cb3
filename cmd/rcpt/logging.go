package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// logFlags configure the log on standard error.
type logFlags struct {
	LogLevel  logLevel `placeholder:"LEVEL" help:"Log from this level on: debug, info, warn or error. Default: info; warn for verify."`
	LogFormat string   `placeholder:"FORMAT" enum:"text,json" default:"text" help:"Format of the log: ${enum}. Default: ${default}."`
}

// logLevel is a level, or nil for the command's usual one.
type logLevel struct{ chosen *slog.Level }

func (l *logLevel) UnmarshalText(text []byte) error {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, known := levels[string(text)]
	if !known {
		return fmt.Errorf("%q is not a level: use debug, info, warn or error", text)
	}
	l.chosen = &level
	return nil
}

// logger logs to w from the level that was asked for, or else from usual.
func (f logFlags) logger(w io.Writer, usual slog.Level) *slog.Logger {
	if f.LogLevel.chosen != nil {
		usual = *f.LogLevel.chosen
	}
	options := &slog.HandlerOptions{Level: usual}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// quietly is logger with info lines as debug lines.
func quietly(logger *slog.Logger) *slog.Logger { return slog.New(quietHandler{logger.Handler()}) }

// quietHandler is a [slog.Handler] below which there is no info level.
type quietHandler struct{ below slog.Handler }

func quieter(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}

func (h quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.below.Enabled(ctx, quieter(level))
}

func (h quietHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Level = quieter(record.Level)
	return h.below.Handle(ctx, record)
}

func (h quietHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietHandler{h.below.WithAttrs(attrs)}
}

func (h quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{h.below.WithGroup(name)}
}
