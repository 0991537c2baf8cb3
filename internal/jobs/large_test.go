//go:build unix

package jobs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/internal/store"
	"github.com/rcpt/rcpt/internal/store/rows"
	"github.com/rcpt/rcpt/internal/tabular"
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

func (s *nowhere) Write(context.Context, bulk.Item, engine.Result) error {
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

// TestLarge measures a job of TEST_LARGE rows in a world of fake mail hosts (or
// with TEST_LARGE_WORLD=none, without hosts), beside package bulk in memory.
func TestLarge(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("TEST_LARGE"))
	if count == 0 {
		t.Skip("SKIPPED: set TEST_LARGE to a number of rows")
	}
	var verifier bulk.GroupVerifier = &quick{}
	if os.Getenv("TEST_LARGE_WORLD") != "none" {
		w := enginetest.New(t)
		for i := range largeDomains + 1 {
			w.Domain(fmt.Sprintf("d%d.example", i), &smtptest.Host{RCPTFunc: func(rcpt string, _ int) string {
				if strings.HasPrefix(rcpt, "box") {
					return "250 2.1.5 Ok"
				}
				return ""
			}})
		}
		verifier = w.Verifier(engine.Config{})
	}
	folder := t.TempDir()
	s := openStore(t, store.Options{DataDir: folder})
	n := newNode(t, s, Config{Verifier: verifier})
	began := time.Now()
	spool, err := n.Receive(t.Context(), &largeList{rows: count})
	check(t, err)
	defer spool.Close()
	j, err := n.Create(t.Context(), spool, Request{})
	check(t, err)
	t.Logf("%d rows stored in %v: %d addresses, RSS %d MiB", j.Rows, time.Since(began).Round(time.Millisecond), j.Addresses, resident())
	if os.Getenv("TEST_LARGE_WORLD") != "store" {
		began = time.Now()
		for j.State != rows.JobDone {
			time.Sleep(20 * time.Millisecond)
			j = n.job(j.ID)
		}
		took := time.Since(began)
		t.Logf("%d addresses verified in %v: %.0f a second, RSS %d MiB", j.Done, took.Round(time.Millisecond), float64(j.Done)/took.Seconds(), resident())
	}
	began = time.Now()
	lines := &lineCounter{}
	buffer := bufio.NewWriter(lines)
	check(t, n.Write(t.Context(), buffer, j, Output{Format: tabular.CSV}))
	check(t, buffer.Flush())
	t.Logf("%d rows written in %v, RSS %d MiB", lines.n.Load(), time.Since(began).Round(time.Millisecond), resident())
	var size int64
	files, err := filepath.Glob(filepath.Join(folder, "rcpt.db*"))
	check(t, err)
	for _, name := range files {
		info, err := os.Stat(name)
		check(t, err)
		size += info.Size()
	}
	t.Logf("%.0f octets a row in the database and its log", float64(size)/float64(count))

	began = time.Now()
	sink := &nowhere{}
	_, err = bulk.Run(t.Context(), &largeList{rows: count}, sink, bulk.Options{Verifier: verifier, RetryWindow: time.Hour, Trim: trim})
	check(t, err)
	took := time.Since(began)
	t.Logf("in memory: %d rows in %v, %.0f a second", sink.n, took.Round(time.Millisecond), float64(j.Addresses)/took.Seconds())
}

type lineCounter struct{ n atomic.Int64 }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.n.Add(int64(strings.Count(string(p), "\n")))
	return len(p), nil
}

// quick answers at once.
type quick struct{}

func (quick) Verify(_ context.Context, email string) (engine.Result, error) { return fine(email), nil }

func (quick) VerifyTogether(_ context.Context, all []string, done func(int, engine.Result, error)) {
	for i, email := range all {
		done(i, fine(email), nil)
	}
}
