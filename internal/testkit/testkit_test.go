package testkit

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// patient notes the end of a test that waits in vain.
type patient struct {
	testing.TB
	ended string
}

func (*patient) Helper() {}

func (p *patient) Fatalf(format string, args ...any) {
	p.ended = fmt.Sprintf(format, args...)
	panic(p)
}

func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		after := func(d time.Duration) func() bool { return func() bool { return time.Since(began) >= d } }
		Within(t, time.Second, "at once", after(0))
		Within(t, time.Second, "in a while", after(time.Second/2))
		Eventually(t, "in a long while", after(20*time.Second))
		began = time.Now()
		p := &patient{TB: t}
		defer func() {
			if recover() != p || p.ended != "not within 1s: never" || time.Since(began) > 2*time.Second {
				t.Errorf("ended with %q after %v", p.ended, time.Since(began))
			}
		}()
		Within(p, time.Second, "never", func() bool { return false })
	})
}

func TestClock(t *testing.T) {
	start := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	c := NewClock(start)
	c.Advance(time.Hour)
	if got := c.Now(); !got.Equal(start.Add(time.Hour)) {
		t.Errorf("it is %v", got)
	}
}

// TestPure sees what a package of values may not have.
func TestPure(t *testing.T) {
	for text, faults := range map[string]int{
		"package a\n\nimport \"fmt\"\n":                    0,
		"package a\n\nimport \"os\"\n":                     1,
		"package a\n\nvar a = time.Now()\n":                1,
		"package a\n\nfunc f() { go func() {}() }\n":       1,
		"package a\n\nimport \"net\"\n\nvar c chan bool\n": 2,
		"no package": 1,
	} {
		if got := impure("a.go", []byte(text), []string{"fmt"}); len(got) != faults {
			t.Errorf("%q: %q", text, got)
		}
	}
}
