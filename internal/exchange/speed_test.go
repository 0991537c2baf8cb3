package exchange

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// dripping sends octets at intervals.
type dripping struct {
	octets int // at a time
	every  time.Duration
	left   int
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(d.every)
	n := min(d.octets, d.left, len(p))
	d.left -= n
	return n, nil
}

// TestReader: a body that creeps ends; one that is slow, short, or read slowly
// does not.
func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		body  dripping
		pause time.Duration // of the reader
		most  time.Duration // until the end
		slow  bool
	}{
		"creeps":                      {dripping{1, 3 * time.Second, 1e6}, 0, speedWindow, true},
		"creeps after a good start":   {dripping{1000, time.Second, 1e6}, 0, 2 * speedWindow, true},
		"slow":                        {dripping{32 << 10, 30 * time.Second, 1 << 20}, 0, 20 * time.Minute, false},
		"short":                       {dripping{1, 9 * time.Second, 3}, 0, speedWindow, false},
		"short, at the end of it":     {dripping{1, 30 * time.Second, 1}, 0, speedWindow, true},
		"read slowly":                 {dripping{512, time.Millisecond, 1 << 15}, 30 * time.Second, time.Hour, false},
		"all at once after a silence": {dripping{1 << 15, 29 * time.Second, 1 << 15}, 0, speedWindow, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, all := time.Now(), c.body.left
				r := &SpeedReader{From: &c.body}
				read, err := 0, error(nil)
				for err == nil {
					var n int
					n, err = r.Read(make([]byte, 64<<10))
					read += n
					time.Sleep(c.pause)
				}
				if got := errors.Is(err, ErrTooSlow); got != c.slow || !c.slow && read != all || time.Since(began) > c.most {
					t.Errorf("%v after %v and %d octets", err, time.Since(began), read)
				}
			})
		})
	}
}

// sipping takes so many octets a second.
type sipping int

func (s sipping) Write(p []byte) (int, error) {
	time.Sleep(time.Second * time.Duration(len(p)) / time.Duration(s))
	return len(p), nil
}

// TestWriter: a client that takes an answer too slowly loses it.
func TestWriter(t *testing.T) {
	for _, c := range []struct {
		speed sipping
		slow  bool
	}{{leastSpeed / 8, true}, {2 * leastSpeed, false}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			w := &SpeedWriter{To: c.speed}
			var err error
			for n := 0; n < 100 && err == nil; n++ {
				_, err = w.Write(make([]byte, 4<<10))
				time.Sleep(time.Second) // of the caller
			}
			if got := errors.Is(err, ErrTooSlow); got != c.slow || got && time.Since(began) > 3*speedWindow {
				t.Errorf("%d octets a second: %v after %v", c.speed, err, time.Since(began))
			}
		})
	}
}
