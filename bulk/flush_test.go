package bulk_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// collecting is a sink that collects results.
type collecting struct {
	file
	started time.Time
	at      []time.Duration // when it was flushed
	had     []int           // lines by then
	err     error           // of flushes
	ended   bool            // a context that it got had ended
}

func (c *collecting) Write(ctx context.Context, item bulk.Item, r rcpt.Result) error {
	c.ended = c.ended || ctx.Err() != nil
	return c.file.Write(ctx, item, r)
}

func (c *collecting) Flush(ctx context.Context) error {
	c.ended = c.ended || ctx.Err() != nil
	c.at, c.had = append(c.at, time.Since(c.started)), append(c.had, len(c.lines))
	return c.err
}

// pausing yields items at given times.
type pausing struct {
	*list
	at []time.Duration
}

func (p *pausing) Next(ctx context.Context) (bulk.Item, error) {
	if n := p.count(); n < len(p.at) {
		time.Sleep(p.at[n])
	}
	return p.list.Next(ctx)
}

// TestFlush checks that a sink is flushed when the list pauses and at the end,
// and not when there is nothing to flush.
func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := []string{"a@one.example", "a@two.example", "a@three.example", "a@four.example"}
		// Each takes a second: results at 1 s, 1.5 s, 61 s and 61.5 s.
		source := &pausing{list: listOf(emails...), at: []time.Duration{0, time.Second / 2, 59*time.Second + time.Second/2, time.Second / 2}}
		sink := &collecting{started: time.Now()}
		if _, err := bulk.Run(t.Context(), source, sink, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{2, 4}, sink.had); diff != "" {
			t.Errorf("lines at each flush (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{2500 * time.Millisecond, 61500 * time.Millisecond}, sink.at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

// TestFlushOfAWrappedSink checks that a type which embeds a sink, with a Write
// of its own, loses nothing: the last rows are flushed.
func TestFlushOfAWrappedSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &collecting{started: time.Now()}
		wrapped := struct{ bulk.Sink }{sink}
		options := bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)}
		if _, err := bulk.Run(t.Context(), listOf("a@one.example"), wrapped, options); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{1}, sink.had); diff != "" {
			t.Errorf("lines at each flush (-want +got):\n%s", diff)
		}
	})
}

// TestFlushAfterACancel checks that what is done is written and flushed, with a
// context that lets it.
func TestFlushAfterACancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		source := listOf("a@one.example", "a@two.example", "a@three.example")
		source.block = true
		sink := &collecting{started: time.Now()}
		summary, err := bulk.Run(ctx, source, sink, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
		if !errors.Is(err, context.DeadlineExceeded) || sink.ended || summary.Written != 3 {
			t.Errorf("%v, a context had ended: %v, %d written", err, sink.ended, summary.Written)
		}
		if diff := cmp.Diff([]int{3}, sink.had); diff != "" {
			t.Errorf("lines at each flush (-want +got):\n%s", diff)
		}
	})
}

// TestFlushError checks that a flush which fails ends the run.
func TestFlushError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := listOf("a@one.example", "a@two.example", "a@three.example")
		source.block = true // it would not end by itself
		sink := &collecting{started: time.Now(), err: io.ErrShortWrite}
		_, err := bulk.Run(t.Context(), source, sink, bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
		if !errors.Is(err, io.ErrShortWrite) || len(sink.at) != 1 {
			t.Errorf("%v after %d flushes", err, len(sink.at))
		}
	})
}
