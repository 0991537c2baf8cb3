package linebuffer_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/sys/linebuffer"
)

// log is what was written, each time by itself.
type log struct {
	mu     sync.Mutex
	writes []string
	err    error
}

func (l *log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, string(text))
	return len(text), l.err
}

func (l *log) soFar() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writes
}

// TestTogether: lines wait for each other, and no longer than a hundredth of a
// second.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to log
		w := linebuffer.New(&to)
		for n := range 3 { // times
			for i := range 4 {
				fmt.Fprintf(w, "line %d\n", i)
				time.Sleep(2 * time.Millisecond)
			}
			if writes := to.soFar(); len(writes) != n {
				t.Fatalf("written before their time: %q", writes[n:])
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if writes := to.soFar(); len(writes) != n+1 || writes[n] != "line 0\nline 1\nline 2\nline 3\n" {
				t.Fatalf("after a hundredth of a second: %q", writes)
			}
			time.Sleep(time.Minute)
		}
		if writes := to.soFar(); len(writes) != 3 {
			t.Errorf("written: %q", writes)
		}
	})
}

// TestEnough: what waits is bounded.
func TestEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to log
		w := linebuffer.New(&to)
		line := strings.Repeat("x", 1000) + "\n"
		for range 100 {
			fmt.Fprint(w, line)
		}
		if len(to.writes) != 3 || len(to.writes[0]) < 32<<10 || len(to.writes[0]) > 34<<10 {
			t.Errorf("%d writes", len(to.writes))
		}
		if err := w.Flush(); err != nil || strings.Join(to.writes, "") != strings.Repeat(line, 100) {
			t.Errorf("error %v, %d writes", err, len(to.writes))
		}
		if err := w.Flush(); err != nil || len(to.writes) != 4 {
			t.Errorf("nothing waited, error %v, %d writes", err, len(to.writes))
		}
	})
}

// TestFullDisk: lines that cannot be written are not kept, and the next ones
// are tried again.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := log{err: errors.New("no space left")}
		w := linebuffer.New(&to)
		fmt.Fprintln(w, "first")
		if err := w.Flush(); !errors.Is(err, to.err) {
			t.Errorf("error %v", err)
		}
		to.err = nil
		fmt.Fprintln(w, "second")
		if err := w.Flush(); err != nil || to.writes[1] != "second\n" {
			t.Errorf("error %v, writes %q", err, to.writes)
		}
	})
}

// TestManyAtOnce: lines stay whole, and none is lost.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to log
		w := linebuffer.New(&to)
		for range 50 {
			go func() {
				for range 100 {
					fmt.Fprintln(w, "a line")
				}
			}()
		}
		synctest.Wait()
		if err := w.Flush(); err != nil || strings.Join(to.writes, "") != strings.Repeat("a line\n", 5000) {
			t.Errorf("error %v, %d writes", err, len(to.writes))
		}
	})
}
