package listupdate

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/rcpt/rcpt/lists"
)

// listPoll is how often the files of the lists are checked. A change is used
// within seconds, and a check costs only some system calls.
const listPoll = 2 * time.Second

// Watch reads lists again when one of their files has changed, or on a signal.
type Watch struct {
	*Source
	asked <-chan os.Signal
	seen  stamps // of the files at the last look
}

// NewWatch returns a Watch that also reads the lists again for each signal.
func NewWatch(source *Source, asked <-chan os.Signal) *Watch {
	return &Watch{Source: source, asked: asked}
}

// Run calls use with lists that were read again, until ctx is canceled.
func (w *Watch) Run(ctx context.Context, use func(*lists.Lists)) {
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

// changed reports whether the files differ from those that were read, and are
// complete: the same at two checks.
func (w *Watch) changed() bool {
	now := w.look()
	settled := now.same(w.seen)
	w.seen = now
	return settled && !now.same(w.stamps)
}

func (w *Watch) reload(use func(*lists.Lists)) {
	logger := w.logger
	if err := w.load(); err != nil {
		logger.Error("the lists cannot be read; those from before stay in use", "error", err)
		return
	}
	use(w.lists)
	logger.Info("lists read again", slog.String("edition", w.edition.Date()), slog.Any("entries", counts(w.lists)))
}

// counts are the numbers of entries by list.
func counts(known *lists.Lists) slog.Value {
	var numbers []slog.Attr
	for _, list := range known.Info() {
		numbers = append(numbers, slog.Int(string(list.Kind), list.Count))
	}
	return slog.GroupValue(numbers...)
}

// stamps identify versions of files: nil is a file that does not exist.
type stamps []os.FileInfo

// look returns the present stamps of the files.
func (s *Source) look() stamps {
	paths := []string{s.bundle}
	for _, file := range s.files {
		paths = append(paths, file.Path)
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
