package bulk_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/bulk"
)

// TestFairness checks that neither many addresses of few domains hold up the
// others, nor these them.
func TestFairness(t *testing.T) {
	tests := map[string]struct {
		giants, concurrency int
	}{
		"a giant":                        {1, 50},
		"more giants than there is room": {20, 100},
		"fewer workers than a turn":      {1, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var emails []string
				for g := range tt.giants {
					emails = append(emails, numbered(10_000/tt.giants, fmt.Sprintf("giant%d.example", g))...)
				}
				for i := range 100 {
					emails = append(emails, numbered(3, fmt.Sprintf("small%d.example", i))...)
				}
				verifier := &answers{}
				summary, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Concurrency: tt.concurrency})
				if err != nil {
					t.Fatal(err)
				}
				var tail time.Duration
				for i := range 100 {
					for n := range 3 {
						tail = max(tail, verifier.asked[fmt.Sprintf("user%d@small%d.example", n+1, i)][0])
					}
				}
				fair := 2 * 300 * time.Second / time.Duration(tt.concurrency) * 4 // four times as long as with the tail alone, and as much again
				if tail > fair {
					t.Errorf("the last of the tail was asked about after %v, want %v at most", tail, fair)
				}
				alone := 10_300 * time.Second / time.Duration(min(tt.concurrency, 40*tt.giants))
				if summary.Elapsed > alone+alone/10 {
					t.Errorf("took %v, want %v", summary.Elapsed, alone)
				}
			})
		})
	}
}

// TestGiantKeepsItsShare checks that a long tail does not hold up a giant.
func TestGiantKeepsItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for i := range 10_000 {
			emails = append(emails, fmt.Sprintf("one@small%d.example", i))
		}
		emails = append(emails, numbered(1000, "giant.example")...)
		verifier := &answers{}
		_, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Concurrency: 100})
		if err != nil {
			t.Fatal(err)
		}
		var last time.Duration
		for n := range 1000 {
			last = max(last, verifier.asked[fmt.Sprintf("user%d@giant.example", n+1)][0])
		}
		if last > 60*time.Second { // of about 110
			t.Errorf("the last of the giant was asked about after %v", last)
		}
	})
}

// TestDomainsMeet checks that addresses of a domain that stand apart in the
// list are asked about together.
func TestDomainsMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for n := range 20 {
			for d := range 100 {
				emails = append(emails, fmt.Sprintf("user%d@domain%d.example", n, d))
			}
		}
		verifier := &answers{}
		_, err := bulk.Run(t.Context(), listOf(emails...), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Concurrency: 50})
		if err != nil {
			t.Fatal(err)
		}
		instants := 0
		for d := range 100 {
			seen := map[time.Duration]bool{}
			for n := range 20 {
				seen[verifier.asked[fmt.Sprintf("user%d@domain%d.example", n, d)][0]] = true
			}
			instants += len(seen)
		}
		if average := instants / 100; average > 5 {
			t.Errorf("20 addresses of a domain are asked about at %d instants", average)
		}
	})
}
