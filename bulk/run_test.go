package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// uneven takes up to a minute for an address.
type uneven struct{}

func (uneven) Verify(_ context.Context, address string) (rcpt.Result, error) {
	time.Sleep(rand.N(time.Minute))
	return deliverable(address), nil
}

func TestOrder(t *testing.T) {
	emails := append(numbered(300, "giant.example"), "not an address", "")
	for i := range 200 {
		emails = append(emails, fmt.Sprintf("one@small%d.example", i))
	}
	tests := map[string]bulk.Limits{
		"in memory":     {},
		"in files":      {HeldBytes: 1},
		"small window":  {Window: 3},
		"small octets":  {WindowBytes: 1},
		"little ahead":  {Ahead: 2},
		"one a domain":  {PerDomain: 1},
		"some in files": {HeldBytes: 20_000},
	}
	for name, limits := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, dir := &file{}, t.TempDir()
				summary, err := bulk.Run(t.Context(), listOf(emails...), out,
					bulk.Options{Verifier: bulk.OneByOne(uneven{}.Verify), Concurrency: 50, SpillDir: dir}.Within(limits))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
					t.Error(diff)
				}
				if n := int64(len(emails)); summary.Read != n || summary.Done != n || summary.Written != n {
					t.Errorf("summary %+v", summary)
				}
				if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		})
	}
}

// TestFilesKeepResults checks that what waited in a file comes back as it was.
func TestFilesKeepResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(20, "one.example")
		source, out := listOf(emails...), &file{}
		source.items[3].Row, source.items[4].Row = nil, []byte(strings.Repeat("long\x00", 10_000))
		rows := map[string][]byte{}
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if address == emails[0] && n == 1 {
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}
		sink := bulk.SinkFunc(func(_ context.Context, item bulk.Item, r rcpt.Result) error {
			rows[item.Email] = item.Row
			return out.Write(t.Context(), item, r)
		})
		_, err := bulk.Run(t.Context(), source, sink, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour, SpillDir: t.TempDir(),
		}.Within(bulk.Limits{HeldBytes: 1}))
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range source.items {
			if diff := cmp.Diff(item.Row, rows[item.Email]); diff != "" {
				t.Errorf("row %d: %s", i+1, diff)
			}
			if diff := cmp.Diff(deliverable(item.Email), out.results[i]); diff != "" {
				t.Errorf("result %d: %s", i+1, diff)
			}
		}
	})
}

// TestWindow checks how far ahead a run reads of what it has no answer for.
func TestWindow(t *testing.T) {
	const readyBeyond = 64 + 1
	long := strings.Repeat("x", 10_000)
	tests := map[string]struct {
		limits bulk.Limits
		most   int
	}{
		"count":  {bulk.Limits{Window: 10}, 10 + readyBeyond},
		"octets": {bulk.Limits{WindowBytes: 100_000}, 10 + readyBeyond},
		"ahead":  {bulk.Limits{Ahead: 7}, 7 + readyBeyond},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := listOf(numbered(1000, "one.example")...)
				for i := range source.items {
					source.items[i].Row = []byte(long)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					synctest.Wait()
					if got := source.count(); got < tt.most-readyBeyond || got > tt.most {
						t.Errorf("%d read, want %d at most", got, tt.most)
					}
					cancel()
				}()
				_, err := bulk.Run(ctx, source, &file{}, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)}.Within(tt.limits))
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		})
	}
}

func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			time.Sleep(rand.N(time.Minute))
			return deliverable(address), nil
		}}
		_, err := bulk.Run(t.Context(), listOf(numbered(100, "one.example")...), &file{},
			bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Concurrency: 7}.Within(bulk.Limits{PerDomain: 5}))
		if err != nil || verifier.most != 5 {
			t.Errorf("%d under way, want 5 (%v)", verifier.most, err)
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(10, "one.example")
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if address == emails[4] {
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, io.ErrClosedPipe)
		defer cancel()
		out := &file{}
		summary, err := bulk.Run(ctx, listOf(emails...), out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour})
		if !errors.Is(err, io.ErrClosedPipe) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the cause and that of the context", err)
		}
		if diff := cmp.Diff(lines(emails[:4], rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Error(diff)
		}
		if summary.Written != 4 || summary.Done != 9 || summary.Read != 10 {
			t.Errorf("summary %+v", summary)
		}
	})
}

// TestCancelWhileAsking checks that a cancelled verification is no result, not
// even after two that failed.
func TestCancelWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const inThirdTry = 8*time.Second + time.Second/2
		ctx, cancel := context.WithTimeout(t.Context(), inThirdTry)
		defer cancel()
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) { return failed(address), io.ErrNoProgress }}
		out := &file{}
		summary, err := bulk.Run(ctx, listOf(numbered(10, "one.example")...), out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)})
		if tries := len(verifier.asked["user1@one.example"]); tries != 3 {
			t.Errorf("%d tries", tries)
		}
		if !errors.Is(err, context.DeadlineExceeded) || len(out.lines) > 0 || summary.Done > 0 {
			t.Errorf("%v, written %v, %+v", err, out.lines, summary)
		}
	})
}

// TestCancelKeepsAnswers checks that answers count which come when the run has
// ended already, if they are final.
func TestCancelKeepsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		emails := []string{"a@one.example", "b@two.example", "c@three.example", "d@four.example", "e@five.example"}
		out := &file{}
		_, err := bulk.Run(ctx, listOf(emails...), out, bulk.Options{Verifier: bulk.OneByOne(deaf{grey: emails[3]}.Verify)})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if diff := cmp.Diff(lines(emails[:3], rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// deaf takes a second for an address whatever becomes of the context.
type deaf struct{ grey string }

func (d deaf) Verify(_ context.Context, address string) (rcpt.Result, error) {
	time.Sleep(time.Second)
	if address == d.grey {
		return greylisted(address, time.Minute), nil
	}
	return deliverable(address), nil
}

func TestSinkError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(1000, "one.example")
		out := &file{failAt: 3}
		slow := bulk.SinkFunc(func(_ context.Context, item bulk.Item, r rcpt.Result) error { // so that there is more to write
			time.Sleep(10 * time.Second)
			return out.Write(t.Context(), item, r)
		})
		summary, err := bulk.Run(t.Context(), listOf(emails...), slow, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
		if !errors.Is(err, io.ErrShortWrite) || !strings.Contains(err.Error(), "result 3") {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(lines(emails[:2], rcpt.VerdictDeliverable), out.lines); diff != "" || summary.Written != 2 {
			t.Errorf("%s, summary %+v", diff, summary)
		}
	})
}

// TestRunWaitsForItsSource: nothing that a run has started goes on after it. A
// source that leases what it yields would lease for nobody.
func TestRunWaitsForItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		source := &leasing{list: listOf(numbered(10, "one.example")...)}
		_, err := bulk.Run(ctx, source, &file{}, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
		if busy := source.busy.Load(); !errors.Is(err, context.Canceled) || busy {
			t.Errorf("error %v, the source is called still: %v", err, busy)
		}
		time.Sleep(time.Hour)
	})
}

// leasing is a source that takes a minute more after its context has ended.
type leasing struct {
	*list
	busy atomic.Bool
}

func (l *leasing) Next(ctx context.Context) (bulk.Item, error) {
	l.busy.Store(true)
	defer l.busy.Store(false)
	if l.count() == 10 {
		<-ctx.Done()
		time.Sleep(time.Minute)
	}
	return l.list.Next(ctx)
}

func TestSourceError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(5, "one.example")
		source, out := listOf(emails...), &file{}
		source.err = io.ErrUnexpectedEOF
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) { return greylisted(address, time.Minute), nil }}
		summary, err := bulk.Run(t.Context(), source, out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour})
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "item 6") {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictUnknown), out.lines); diff != "" || summary.Drained || summary.Retries > 0 {
			t.Errorf("%s, summary %+v", diff, summary)
		}
	})
}

// TestSpillError checks that a run ends when it cannot keep what does not fit
// in memory, and writes what it can.
func TestSpillError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "gone")
		emails := numbered(5, "one.example")
		out := &file{}
		_, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{
			Verifier: bulk.OneByOne((&answers{}).Verify), Concurrency: 1, SpillDir: dir,
		}.Within(bulk.Limits{HeldBytes: 1}))
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(lines(emails[:1], rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// TestDrain: what is being asked is finished, what waits has no result, and
// what waits for a retry has its last answer. The rest is in order.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := append([]string{"later@grey.example", "LATER@grey.example", "later@grey.example"}, numbered(100, "fine.example")...)
		source, out := listOf(emails...), &file{}
		source.block = true
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if strings.HasSuffix(address, "grey.example") {
				return greylisted(address, time.Hour), nil
			}
			return deliverable(address), nil
		}}
		started := time.Now()
		drain := make(chan struct{})
		time.AfterFunc(3*time.Second+time.Second/2, func() { close(drain) })
		var last bulk.Progress
		summary, err := bulk.Run(t.Context(), source, out, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: 2 * time.Hour, Drain: drain,
			Progress: func(p bulk.Progress) { last = p },
		}.Within(bulk.Limits{PerDomain: 10}))
		if err != nil || !summary.Drained || summary.Retries != 0 || summary.Elapsed != 4*time.Second {
			t.Errorf("%v, summary %+v", err, summary)
		}
		want := lines(emails[:34], rcpt.VerdictDeliverable) // one, and three times ten
		for i := range 3 {
			want[i] = strings.Replace(want[i], "deliverable", "unknown", 1)
		}
		if diff := cmp.Diff(want, out.lines); diff != "" {
			t.Error(diff)
		}
		synctest.Wait() // the source may still be on its way out
		if took := source.let.Sub(started); took != 3*time.Second+time.Second/2 {
			t.Errorf("the source was let go after %v", took)
		}
		if !last.Exhausted || last.Done != 34 || last.Waiting != 0 {
			t.Errorf("progress %+v", last)
		}
	})
}

// slowOnes takes a minute for some addresses.
type slowOnes struct{ *answers }

func (s slowOnes) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	if strings.HasPrefix(address, "slow") {
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return failed(address), ctx.Err()
		}
	}
	return s.answers.Verify(ctx, address)
}

// TestDrainLeavesGaps: what is done is written in order, without what is not,
// and nobody is asked who was not being asked.
func TestDrainLeavesGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for d := range 30 {
			for _, user := range []string{"slow", "busy", "fine"} {
				emails = append(emails, fmt.Sprintf("%s@%s%d.example", user, user, d))
			}
		}
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if strings.HasPrefix(address, "busy") {
				return failed(address), engine.ErrBusy
			}
			return deliverable(address), nil
		}}
		drain := make(chan struct{})
		time.AfterFunc(time.Second+time.Second/2, func() { close(drain) })
		out := &file{}
		summary, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{Verifier: bulk.OneByOne(slowOnes{verifier}.Verify), RetryWindow: time.Hour, Drain: drain})
		if err != nil || summary.Verdicts[rcpt.VerdictDeliverable] != 30 || summary.Done != 30 {
			t.Errorf("%+v (%v)", summary, err)
		}
		if most := time.Second + time.Second/2 + bulk.DrainTime; summary.Elapsed > most {
			t.Errorf("took %v, want %v at most", summary.Elapsed, most)
		}
		all, want := lines(emails, rcpt.VerdictDeliverable), []string(nil)
		for i, email := range emails {
			if strings.HasPrefix(email, "fine") {
				want = append(want, all[i])
			}
		}
		if diff := cmp.Diff(want, out.lines); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []bulk.Options{
		{}, {Verifier: instant{}, Concurrency: -1}, {Verifier: instant{}, RetryWindow: -1},
		{Verifier: instant{}, PerRow: -1},
	} {
		if _, err := bulk.Run(t.Context(), listOf(), &file{}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestRoom checks that no more verifications are in progress than there is room
// for at the moment, nor than Concurrency allows.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for i := range 200 {
			emails = append(emails, fmt.Sprintf("one@domain%d.example", i))
		}
		var room atomic.Int64
		room.Store(3)
		verifier := &answers{}
		most := func() int {
			verifier.mu.Lock()
			defer verifier.mu.Unlock()
			found := verifier.most
			verifier.most = 0
			return found
		}
		before := 0
		time.AfterFunc(5500*time.Millisecond, func() {
			before = most()
			room.Store(1000)
		})
		_, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), Concurrency: 20, Room: func() int { return int(room.Load()) },
		})
		if after := most(); err != nil || before != 3 || after != 20 {
			t.Errorf("%d at a time with room for 3, then %d with room for 1000 and a concurrency of 20 (%v)", before, after, err)
		}
	})
}
