//go:build unix

package jobs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// largeList yields rows "number,address" of many domains, a third of them of
// one; every tenth address was in the list before.
type largeList struct {
	rows, next int
	left       string
}

func (l *largeList) address(i int) string {
	if i%10 == 9 {
		i -= i % 5000
	}
	domain := 0
	if i%3 > 0 {
		domain = 1 + i*7919%largeDomains
	}
	return fmt.Sprintf("box%d@d%d.example", i, domain)
}

const largeDomains = 700

func (l *largeList) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		if l.next == l.rows {
			return 0, io.EOF
		}
		l.left = fmt.Sprintf("%d,%s\n", l.next, l.address(l.next))
		l.next++
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// Next makes it a source of package bulk.
func (l *largeList) Next(context.Context) (bulk.Item, error) {
	if l.next == l.rows {
		return bulk.Item{}, io.EOF
	}
	l.next++
	return bulk.Item{Email: l.address(l.next - 1)}, nil
}

type nowhere struct{ n int }

func (s *nowhere) Flush(context.Context) error { return nil }

func (s *nowhere) Write(context.Context, bulk.Item, rcpt.Result) error {
	s.n++
	return nil
}

// resident is the largest RSS of this process so far, in MiB.
func resident() (most int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "VmHWM:"); found {
			most, _ = strconv.Atoi(strings.Fields(text)[0])
		}
	}
	return most >> 10
}

// processor is the time of processors that this process has used.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// large is a measurement: each step is logged with its time, that of the
// processors, and the memory so far.
type large struct {
	t     *testing.T
	count int
}

func (l large) step(what string, work func()) (took time.Duration) {
	defer l.profile(what)()
	began, used := time.Now(), processor()
	work()
	took = time.Since(began)
	l.t.Logf("%-9s %8.1f s, %9.0f rows a second; %6.1f s of processors; RSS so far %d MiB", what, took.Seconds(), float64(l.count)/took.Seconds(),
		(processor() - used).Seconds(), resident())
	return took
}

// profile writes the profiles of a step to the folder TEST_LARGE_PROFILE: of
// the processors, and of what is in memory at its end.
func (l large) profile(what string) (end func()) {
	folder := os.Getenv("TEST_LARGE_PROFILE")
	if folder == "" {
		return func() {}
	}
	create := func(kind string) *os.File {
		file, err := os.Create(filepath.Join(folder, strings.ReplaceAll(what, " ", "-")+"."+kind))
		check(l.t, err)
		return file
	}
	used := create("cpu")
	check(l.t, pprof.StartCPUProfile(used))
	return func() {
		pprof.StopCPUProfile()
		check(l.t, used.Close())
		held := create("heap")
		runtime.GC() // a heap profile is as of the last collection
		check(l.t, pprof.WriteHeapProfile(held))
		check(l.t, held.Close())
	}
}

// TestLarge measures a job of TEST_LARGE rows in a world of fake mail hosts
// beside package bulk in memory, or with TEST_LARGE_WORLD=none without mail
// hosts (make large).
func TestLarge(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("TEST_LARGE"))
	if count == 0 {
		t.Skip("SKIPPED: set TEST_LARGE to a number of rows")
	}
	world := os.Getenv("TEST_LARGE_WORLD") != "none"
	var verifier bulk.Verifier = &quick{}
	if world {
		verifier = largeWorld(t)
	}
	l, folder := large{t, count}, t.TempDir()
	s := openStore(t, store.Options{DataDir: folder})
	n := newNode(t, s, Config{Verifier: verifier})
	var j rows.Job
	l.step("stored", func() {
		spool, err := n.Receive(t.Context(), &largeList{rows: count})
		check(t, err)
		defer spool.Close()
		j, err = n.Create(t.Context(), spool, Request{By: rows.ByCommand("test")})
		check(t, err)
	})
	took := l.step("verified", func() {
		for j.State != rows.JobDone {
			time.Sleep(20 * time.Millisecond)
			j = n.job(j.ID)
		}
	})
	memory := resident() // package bulk follows in this process
	l.step("last page", func() {
		page, _, err := n.ResultsBefore(t.Context(), j, Output{}, int64(count), 50)
		if check(t, err); len(page) != 50 {
			t.Errorf("%d rows", len(page))
		}
	})
	lines := &lineCounter{}
	l.step("written", func() {
		buffer := bufio.NewWriter(lines)
		check(t, n.Write(t.Context(), buffer, j, Output{Format: list.CSV}))
		check(t, buffer.Flush())
	})
	if lines.n.Load() != int64(count) {
		t.Errorf("%d rows are written", lines.n.Load())
	}
	t.Logf("%.1f octets a row in the database and its log", float64(sizeOf(t, folder))/float64(count))
	if limit := 400; memory > limit {
		t.Errorf("RSS of %d MiB, want %d at most", memory, limit)
	}
	if !world {
		return
	}
	inMemory := l.step("in memory", func() {
		_, err := bulk.Run(t.Context(), &largeList{rows: count}, &nowhere{}, bulk.Options{Verifier: verifier, RetryWindow: time.Hour, Trim: trim})
		check(t, err)
	})
	t.Logf("%.2f of the throughput in memory (on an idle machine 0.7 at least)", inMemory.Seconds()/took.Seconds())
}

// largeWorld has a mail host for each domain. Providers are asked without
// limits: a third of the list is at one, and the run that comes first would use
// up the sessions of its minute.
func largeWorld(t *testing.T) bulk.Verifier {
	w := enginetest.New(t)
	for i := range largeDomains + 1 {
		w.Domain(fmt.Sprintf("d%d.example", i), &smtptest.Host{Forgets: true, RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
			if strings.HasPrefix(rcpt, "box") {
				return "250 2.1.5 Ok"
			}
			return ""
		}})
	}
	return w.Verifier(engine.Config{Pace: pace.Settings{Preset: pace.Off}})
}

func sizeOf(t *testing.T, folder string) (size int64) {
	files, err := filepath.Glob(filepath.Join(folder, "rcpt.db*"))
	check(t, err)
	for _, name := range files {
		info, err := os.Stat(name)
		check(t, err)
		size += info.Size()
	}
	return size
}

type lineCounter struct{ n atomic.Int64 }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.n.Add(int64(strings.Count(string(p), "\n")))
	return len(p), nil
}

// quick answers at once.
type quick struct{}

func (quick) Verify(_ context.Context, email string) (rcpt.Result, error) { return fine(email), nil }

func (quick) VerifyGroup(
	_ context.Context, all []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	for i, email := range all {
		done(i, fine(email), nil)
	}
}
