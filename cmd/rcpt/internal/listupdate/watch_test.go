package listupdate

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists"
)

// watched is a running Watch in a synctest bubble, where waiting takes no time.
type watched struct {
	t      *testing.T
	list   string // file of disposable domains
	bundle string
	watch  *Watch
	asked  chan os.Signal

	mu    sync.Mutex
	known *lists.Lists // in use
	loads int
	log   bytes.Buffer
}

func (w *watched) use(known *lists.Lists) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known, w.loads = known, w.loads+1
}

// Write takes what is logged.
func (w *watched) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

func (w *watched) state() (known *lists.Lists, loads int, log string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.known, w.loads, w.log.String()
}

// watching runs a Watch beside test.
func watching(t *testing.T, test func(w *watched)) {
	folder := t.TempDir()
	w := &watched{t: t, list: filepath.Join(folder, "mine.txt"), bundle: filepath.Join(folder, BundleName)}
	w.write(w.list, "first.example\n")
	synctest.Test(t, func(t *testing.T) {
		w.t = t
		source, err := Open(folder, []File{{lists.KindDisposable, w.list}}, slog.New(slog.NewTextHandler(w, nil)))
		check(t, err)
		w.asked = make(chan os.Signal, 1)
		w.known, w.watch = source.lists, NewWatch(source, w.asked)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.watch.Run(ctx, w.use)
		}()
		test(w)
		cancel()
		<-ended
	})
}

func (w *watched) write(path, text string) {
	w.t.Helper()
	check(w.t, os.WriteFile(path, []byte(text), 0o600))
}

// look waits until the Watch has checked the files so many times.
func (w *watched) look(times int) {
	time.Sleep(time.Duration(times) * listPoll)
	synctest.Wait()
}

// want checks how often use was called until now, and whether a domain is
// disposable.
func (w *watched) want(loads int, domain string, disposable bool) {
	w.t.Helper()
	known, loaded, log := w.state()
	if loaded != loads {
		w.t.Errorf("%d times read again, want %d; log:\n%s", loaded, loads, log)
	}
	if got := len(known.Match("", domain)) > 0; got != disposable {
		w.t.Errorf("%s disposable: %t", domain, got)
	}
}

// wantLogged checks how many lines of the log have the text.
func (w *watched) wantLogged(times int, text string) {
	w.t.Helper()
	if _, _, log := w.state(); strings.Count(log, text) != times {
		w.t.Errorf("want %q %d times, in\n%s", text, times, log)
	}
}

func TestWatchLeavesListsAlone(t *testing.T) {
	watching(t, func(w *watched) {
		w.look(10)
		w.want(0, "first.example", true)
		w.wantLogged(0, "level=")
	})
}

func TestWatchSeesChange(t *testing.T) {
	watching(t, func(w *watched) {
		w.write(w.list, "first.example\nsecond.example\n")
		w.look(10)
		w.want(1, "second.example", true)
		w.wantLogged(1, `level=INFO msg="lists read again"`)
		w.wantLogged(1, "entries.disposable=")
	})
}

// TestWatchSeesReplacement: another file of the same size and time, as made by
// a copy that keeps times.
func TestWatchSeesReplacement(t *testing.T) {
	watching(t, func(w *watched) {
		before, err := os.Stat(w.list)
		check(w.t, err)
		w.write(w.list+".new", "fresh.example\n")
		check(w.t, os.Chtimes(w.list+".new", before.ModTime(), before.ModTime()))
		check(w.t, os.Rename(w.list+".new", w.list))
		w.look(2)
		w.want(1, "fresh.example", true)
	})
}

// TestWatchWaitsForWriter: a file is read when it no longer changes, so that a
// part of it is never used.
func TestWatchWaitsForWriter(t *testing.T) {
	watching(t, func(w *watched) {
		text := ""
		for _, line := range []string{"a.example\n", "b.example\n", "c.example\n"} {
			text += line
			w.write(w.list, text)
			w.look(1)
			w.want(0, "first.example", true)
		}
		w.look(1)
		w.want(1, "c.example", true)
	})
}

func TestWatchKeepsListsWhenFileIsBroken(t *testing.T) {
	watching(t, func(w *watched) {
		w.write(w.list, "second.example\nno domain\n")
		w.look(10)
		w.want(0, "first.example", true)
		w.wantLogged(1, "level=ERROR")
		w.wantLogged(1, w.list+":2: ")
		w.write(w.list, "second.example\n")
		w.look(2)
		w.want(1, "second.example", true)
	})
}

func TestWatchKeepsListsWhenFileIsGone(t *testing.T) {
	watching(t, func(w *watched) {
		check(w.t, os.Remove(w.list))
		w.look(10)
		w.want(0, "first.example", true)
		w.wantLogged(1, "level=ERROR")
		w.wantLogged(1, "--list disposable="+w.list+": no such file or directory")
		w.write(w.list, "second.example\n")
		w.look(2)
		w.want(1, "second.example", true)
	})
}

func TestWatchReadsWhenAsked(t *testing.T) {
	watching(t, func(w *watched) {
		w.asked <- syscall.SIGHUP
		synctest.Wait()
		w.want(1, "first.example", true)
		w.write(w.list, "second.example\n")
		w.asked <- syscall.SIGHUP
		synctest.Wait()
		w.want(2, "second.example", true)
		w.look(10)
		w.want(2, "second.example", true)
	})
}

// TestWatchFollowsEdition: a later edition is used; a broken one changes
// nothing; without one the embedded edition is used, as at start.
func TestWatchFollowsEdition(t *testing.T) {
	edition := editionFor(t, editiontest.DateLine, editiontest.Late)
	embedded, err := lists.Embedded()
	check(t, err)
	watching(t, func(w *watched) {
		step := func(want string) {
			w.t.Helper()
			w.look(2)
			if known, _, log := w.state(); known.Edition().Date() != want {
				w.t.Errorf("edition of %s, want %s; log:\n%s", known.Edition().Date(), want, log)
			}
		}
		check(w.t, wholefile.Replace(w.bundle, edition))
		step("2999-01-01")
		w.want(1, "first.example", true)
		w.write(w.bundle, "damaged")
		w.look(10)
		step("2999-01-01")
		w.wantLogged(1, "level=WARN")
		w.wantLogged(1, "file="+w.bundle)
		check(w.t, os.Remove(w.bundle))
		step(embedded.Date())
	})
}
