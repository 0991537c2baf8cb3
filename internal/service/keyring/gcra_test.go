package keyring

import (
	"math"
	"testing"
	"time"
)

func TestNewBucket(t *testing.T) {
	for _, test := range []struct {
		perSecond float64
		burst     int
		want      bucket
	}{
		{0, 10, bucket{}},
		{1, 1, bucket{100 * time.Millisecond, time.Second, 1}},
		{1, 0, bucket{100 * time.Millisecond, time.Second, 1}},
		{10, 10, bucket{10 * time.Millisecond, time.Second, 10}},
		{1.0 / 60, 2, bucket{6 * time.Second, 2 * time.Minute, 2}},
		{1e9, 0, bucket{1, 10, 1}},
		{1e-30, math.MaxInt32, bucket{slowestPart, slowest, math.MaxInt32}},
	} {
		if got := newBucket(test.perSecond, test.burst); got != test.want {
			t.Errorf("newBucket(%v, %d) = %v, want %v", test.perSecond, test.burst, got, test.want)
		}
	}
}

func TestSpend(t *testing.T) {
	second := bucket{100 * time.Millisecond, 3 * time.Second, 3} // a token a second, three at once
	for name, test := range map[string]struct {
		state, now time.Duration
		parts      int
		next, wait time.Duration
		tokens     int64 // after that
	}{
		"full":                       {0, 10 * time.Second, 10, 11 * time.Second, 0, 2},
		"a tenth":                    {0, 10 * time.Second, 1, 10*time.Second + 100*time.Millisecond, 0, 2},
		"the last":                   {12 * time.Second, 10 * time.Second, 10, 13 * time.Second, 0, 0},
		"empty":                      {13 * time.Second, 10 * time.Second, 10, 13 * time.Second, time.Second, 0},
		"not quite enough":           {12*time.Second + 1, 10 * time.Second, 10, 12*time.Second + 1, 1, 0},
		"empty, but for a tenth":     {12900 * time.Millisecond, 10 * time.Second, 1, 13 * time.Second, 0, 0},
		"emptier than this can be":   {500 * time.Second, 10 * time.Second, 10, 13 * time.Second, time.Second, 0},
		"fuller than this can be":    {-5 * time.Second, 10 * time.Second, 10, 11 * time.Second, 0, 2},
		"the clock has gone back":    {11 * time.Second, -5 * time.Second, 10, -2 * time.Second, time.Second, 0},
		"after a refund, as a tenth": {11*time.Second - 900*time.Millisecond, 10 * time.Second, 10, 11100 * time.Millisecond, 0, 1},
	} {
		next, wait := second.spend(test.state, test.now, test.parts)
		if next != test.next || wait != test.wait {
			t.Errorf("%s: next %v, wait %v, want %v, %v", name, next, wait, test.next, test.wait)
		}
		if tokens := second.tokens(next, test.now); tokens != test.tokens {
			t.Errorf("%s: %d tokens, want %d", name, tokens, test.tokens)
		}
	}
}

// TestSpendAsPromised checks that a caller that waits for the promised time
// gets a token, but not before, and that no time yields more than burst and
// rate together.
func TestSpendAsPromised(t *testing.T) {
	for _, b := range []bucket{newBucket(7, 1), newBucket(3, 21), newBucket(0.01, 3), newBucket(1e9, 6), newBucket(1e-9, 4)} {
		var state, now time.Duration
		var spent int64
		for range 1000 {
			next, wait := b.spend(state, now, probedCost)
			if wait == 0 {
				state = next
				spent++
				continue
			}
			if _, early := b.spend(state, now+wait-1, probedCost); early == 0 {
				t.Fatalf("%v: a token came before the wait of %v was over", b, wait)
			}
			if now += wait; now > slowest/2 {
				break
			}
		}
		if most := b.size + int64(now/(tokenParts*b.part)); spent > most {
			t.Errorf("%v: %d tokens in %v, at most %d are allowed", b, spent, now, most)
		}
	}
}

func TestPolicy(t *testing.T) {
	for _, test := range []struct {
		perSecond float64
		size      int64
		want      string
	}{
		{0, 0, ""},
		{10, 11, "10;w=1;burst=11"},
		{2.5, 3, "150;w=60;burst=3"},
		{100.0 / 3600, 1, "100;w=3600;burst=1"},
		{1.0 / 86400, 1, "1;w=86400;burst=1"},
		{2.718281828, 1, "2;w=1;burst=1"},
		{1e-6, 1, "1;w=1000000;burst=1"},
		{1e-300, 1, "1;w=2305843010;burst=1"},
	} {
		if got := policy(test.perSecond, test.size); got != test.want {
			t.Errorf("policy(%v, %d) = %q, want %q", test.perSecond, test.size, got, test.want)
		}
	}
}
