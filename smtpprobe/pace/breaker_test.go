package pace

import (
	"fmt"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// blockIn blocks a breaker in n domains that were not seen before.
func blockIn(b *Breaker, n int, now time.Time) {
	for i := range n {
		b.Blocked(fmt.Sprintf("d%d-%d.example", now.UnixNano(), i), now)
	}
}

func TestBreakerPauses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events func(b *Breaker)
		paused bool
	}{
		{"nothing happened", func(*Breaker) {}, false},
		{"four domains of five", func(b *Breaker) { blockIn(b, 4, start) }, false},
		{"five domains", func(b *Breaker) { blockIn(b, 5, start) }, true},
		{"one domain, many times", func(b *Breaker) {
			for range 20 {
				b.Blocked("a.example", start)
			}
		}, false},
		{"an answer in between", func(b *Breaker) {
			blockIn(b, 4, start)
			b.Answered(start)
			blockIn(b, 4, start.Add(time.Second))
		}, false},
		{"another reply in between", func(b *Breaker) {
			blockIn(b, 4, start)
			b.Observed(start)
			b.Blocked("a.example", start)
		}, true},
	} {
		b := NewBreaker(ProviderDomains)
		tt.events(b)
		if until, paused := b.Paused(start.Add(time.Second)); paused != tt.paused || paused == until.IsZero() {
			t.Errorf("%s: paused %t until %v, want %t", tt.name, paused, until, tt.paused)
		}
	}
}

// TestPausesGrow checks that each pause is twice as long as the last up to an
// hour, that it ends, and that an answer makes the next one short again.
func TestPausesGrow(t *testing.T) {
	b, now := NewBreaker(ProviderDomains), start
	for i, want := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
		blockIn(b, ProviderDomains, now)
		until, paused := b.Paused(now)
		if !paused || until.Sub(now) != want || b.Pauses() != i+1 {
			t.Fatalf("pause %d lasts %v, want %v; %d pauses", i+1, until.Sub(now), want, b.Pauses())
		}
		now = until
		if _, paused := b.Paused(now); paused {
			t.Fatalf("pause %d does not end", i+1)
		}
	}
	for range 100 { // a length that overflowed would be none
		blockIn(b, ProviderDomains, now)
		until, paused := b.Paused(now)
		if !paused || until.Sub(now) != time.Hour {
			t.Fatalf("a later pause lasts %v", until.Sub(now))
		}
		now = until
	}
	b.Answered(now)
	blockIn(b, ProviderDomains, now)
	if until, _ := b.Paused(now); until.Sub(now) != 5*time.Minute {
		t.Errorf("after an answer, a pause lasts %v", until.Sub(now))
	}
}

// TestIntervals checks that complaints space sessions out, and that answers
// bring them together again.
func TestIntervals(t *testing.T) {
	b := NewBreaker(ProviderDomains)
	b.Opened(start)
	if wait := b.Wait(start); wait != 0 {
		t.Errorf("a provider that has not complained is kept waiting for %v", wait)
	}
	for _, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		16 * time.Second, 30 * time.Second, 30 * time.Second} {
		b.RateLimited(start)
		if b.Interval() != want {
			t.Fatalf("interval %v, want %v", b.Interval(), want)
		}
	}
	b.Opened(start)
	for at, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 10 * time.Second: 20 * time.Second, time.Minute: 0} {
		if wait := b.Wait(start.Add(at)); wait != want {
			t.Errorf("after %v: wait %v, want %v", at, wait, want)
		}
	}
	for range 6 {
		b.Answered(start)
	}
	if b.Interval() != 0 || b.Wait(start) != 0 {
		t.Errorf("after answers: interval %v, wait %v", b.Interval(), b.Wait(start))
	}
}

func TestStale(t *testing.T) {
	for name, observe := range map[string]func(*Breaker){
		"blocked":      func(b *Breaker) { b.Blocked("a.example", start) },
		"rate limited": func(b *Breaker) { b.RateLimited(start) },
		"answered":     func(b *Breaker) { b.Answered(start) },
		"observed":     func(b *Breaker) { b.Observed(start) },
	} {
		b := NewBreaker(HostDomains)
		observe(b)
		if b.Stale(start.Add(time.Hour)) || !b.Stale(start.Add(time.Hour+time.Second)) {
			t.Errorf("%s: stale within an hour, or not after it", name)
		}
	}
}
