// Package quietlog makes a log quieter: what a part says for information is
// there only for those who look for details.
package quietlog

import (
	"context"
	"log/slog"
)

// New returns logger with info lines turned into debug lines.
func New(logger *slog.Logger) *slog.Logger { return slog.New(handler{logger.Handler()}) }

// handler is a [slog.Handler] that turns the level info into debug.
type handler struct{ below slog.Handler }

func quieter(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.below.Enabled(ctx, quieter(level))
}

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	record.Level = quieter(record.Level)
	return h.below.Handle(ctx, record)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.below.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.below.WithGroup(name)}
}
