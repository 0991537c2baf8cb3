package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list/file"
)

type verifierFunc func(ctx context.Context, address string) (rcpt.Result, error)

func (f verifierFunc) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return f(ctx, address)
}

// takes is a verifier that takes as long as the address says.
func takes(ctx context.Context, address string) (rcpt.Result, error) {
	pause, err := time.ParseDuration(address)
	if err != nil {
		return rcpt.Result{Email: address}, err
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return rcpt.Result{Email: address}, nil
	case <-ctx.Done():
		return rcpt.Result{Email: address}, ctx.Err()
	}
}

// recorder is a printer that records results and when they came. It fails from
// result number failAt on.
type recorder struct {
	started time.Time
	printed []string
	failAt  int
}

func newRecorder() *recorder { return &recorder{started: time.Now()} }

func (r *recorder) print(result rcpt.Result) error {
	r.printed = append(r.printed, fmt.Sprintf("%s after %v", result.Email, time.Since(r.started)))
	if r.failAt > 0 && len(r.printed) >= r.failAt {
		return errors.New("disk full")
	}
	return nil
}

func TestAnswersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := newRecorder()
		if err := verifyAll(t.Context(), verifierFunc(takes), arguments([]string{"3s", "1s", "2s", "5s", "4s"}), out, io.Discard); err != nil {
			t.Error(err)
		}
		want := []string{"3s after 3s", "1s after 3s", "2s after 3s", "5s after 5s", "4s after 5s"}
		if diff := cmp.Diff(want, out.printed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestWindow: no more than window verifications run at a time.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		counts := verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			return takes(ctx, address)
		})
		out := newRecorder()
		addresses := strings.Split(strings.Repeat("1s ", 500)+"1s", " ")
		if err := verifyAll(t.Context(), counts, arguments(addresses), out, io.Discard); err != nil {
			t.Error(err)
		}
		if len(out.printed) != len(addresses) {
			t.Errorf("%d answers to %d addresses", len(out.printed), len(addresses))
		}
		// one more waits to be started
		if most.Load() < window || most.Load() > window+1 {
			t.Errorf("%d at a time, want %d", most.Load(), window)
		}
	})
}

// TestInterrupt: finished results are printed; the others are not printed and
// not waited for, even if the reader blocks.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		blocking := func(yield func(file.Line) bool) {
			for _, address := range strings.Fields("1s 1h" + strings.Repeat(" 2s", 20)) {
				if !yield(file.Line{Address: address}) {
					return
				}
			}
			<-release
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out := newRecorder()
		err := verifyAll(ctx, verifierFunc(takes), blocking, out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("error %v", err)
		}
		want := append([]string{"1s after 1s"}, slices.Repeat([]string{"2s after 1m0s"}, 20)...)
		if diff := cmp.Diff(want, out.printed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		close(release)
	})
}

// TestFaults: an address that could not be verified has a result, and the error
// counts it.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stderr strings.Builder
		out := newRecorder()
		lines := iter.Seq[file.Line](func(yield func(file.Line) bool) {
			_ = yield(file.Line{Address: "0s"}) && yield(file.Line{Address: "broken line", Err: errors.New("line 2 is broken")}) && yield(file.Line{Address: "no duration"})
		})
		err := verifyAll(t.Context(), verifierFunc(takes), lines, out, &stderr)
		if err == nil || err.Error() != "not verified: 2" {
			t.Errorf("error %v", err)
		}
		if diff := cmp.Diff([]string{"0s after 0s", "broken line after 0s", "no duration after 0s"}, out.printed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !strings.Contains(stderr.String(), "rcpt: line 2 is broken\n") {
			t.Errorf("standard error: %s", stderr.String())
		}
	})
}

// TestOutputFails: if a result cannot be printed, no further verification
// starts, and none runs at the end.
func TestOutputFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		counts := verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
			running.Add(1)
			defer running.Add(-1)
			return takes(ctx, address)
		})
		out := newRecorder()
		out.failAt = 2
		err := verifyAll(t.Context(), counts, arguments([]string{"1s", "2s", "1h", "1h"}), out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("error %v", err)
		}
		if len(out.printed) != 2 || running.Load() != 0 {
			t.Errorf("printed %v, still running: %d", out.printed, running.Load())
		}
	})
}
