package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rcpt/rcpt/lists"
)

// listPoll is how often the files of the lists are looked at: a change is in use within seconds, and a look costs some system calls.
const listPoll = 2 * time.Second

// listWatch has lists read again when a file of theirs has changed, or when somebody asks.
type listWatch struct {
	source *listSource
	asked  chan os.Signal // SIGHUPs
	seen   stamps         // of the files at the last look
}

// watch reads the lists for the first time. From now on, SIGHUP does not end the process.
func (f listFlags) watch(logger *slog.Logger) (*listWatch, error) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	source, err := f.open(logger)
	return &listWatch{source: source, asked: asked}, err
}

// run hands lists that were read again to use, until ctx is cancelled.
func (w *listWatch) run(ctx context.Context, use func(*lists.Lists)) {
	ticker := time.NewTicker(listPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.asked:
			w.reload(use)
		case <-ticker.C:
			if w.changed() {
				w.reload(use)
			}
		}
	}
}

// changed reports whether the files are others than those that were read, and not still being written: the same at two looks.
func (w *listWatch) changed() bool {
	now := w.source.look()
	settled := now.same(w.seen)
	w.seen = now
	return settled && !now.same(w.source.stamps)
}

func (w *listWatch) reload(use func(*lists.Lists)) {
	logger := w.source.logger
	if err := w.source.load(); err != nil {
		logger.Error("the lists cannot be read; those from before stay in use", "error", err)
		return
	}
	use(w.source.lists)
	logger.Info("lists read again", slog.String("edition", w.source.edition.Date()), slog.Any("entries", counts(w.source.lists)))
}

// counts are the numbers of entries by list.
func counts(known *lists.Lists) slog.Value {
	var numbers []slog.Attr
	for _, list := range known.Info() {
		numbers = append(numbers, slog.Int(string(list.Kind), list.Count))
	}
	return slog.GroupValue(numbers...)
}

// stamps tell whether files have changed: nil stands for one that is not there.
type stamps []os.FileInfo

// look returns the stamps of the files as they are now.
func (s *listSource) look() stamps {
	paths := []string{s.bundle}
	for _, file := range s.files {
		paths = append(paths, file.path)
	}
	found := make(stamps, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			found[i] = info
		}
	}
	return found
}

func (s stamps) same(other stamps) bool {
	return slices.EqualFunc(s, other, func(a, b os.FileInfo) bool {
		if a == nil || b == nil {
			return a == b
		}
		return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}
