package bulk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

func TestDuplicates(t *testing.T) {
	tests := map[string]struct {
		second string
		same   bool
	}{
		"the same":           {"User@one.example", true},
		"domain in capitals": {"User@ONE.Example", true},
		"needless quotes":    {`"User"@one.example`, true},
		"another local-part": {"user@one.example", false},
		"another domain":     {"User@two.example", false},
		"no address":         {"User@", false},
	}
	for name, tt := range tests {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the first done: %v", name, apart), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					verifier, out := &answers{}, &file{}
					limits := bulk.Limits{}
					if apart {
						limits.Ahead = 1
					}
					summary, err := bulk.Run(t.Context(), listOf("User@one.example", tt.second), out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)}.Within(limits))
					if err != nil {
						t.Fatal(err)
					}
					if same := len(verifier.asked) == 1; same != tt.same || (summary.Duplicates == 1) != tt.same {
						t.Errorf("asked about %v, %d duplicates", verifier.asked, summary.Duplicates)
					}
					want := deliverable(tt.second)
					if tt.same {
						want.Domain = "one.example"
					}
					if diff := cmp.Diff(want, out.results[1]); diff != "" {
						t.Error(diff)
					}
				})
			})
		}
	}
}

// TestDuplicateOfOneThatWaits checks that a duplicate gets the final word too,
// in its own place and spelling.
func TestDuplicateOfOneThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := []string{"grey@one.example", "fine@one.example", "grey@ONE.example", "last@one.example", "grey@one.example"}
		verifier, out := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if strings.HasPrefix(address, "grey") && n == 1 {
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}, &file{}
		_, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour, SpillDir: t.TempDir(),
		}.Within(bulk.Limits{PerDomain: 1, HeldBytes: 1, Window: 1}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Error(diff)
		}
		if n := len(verifier.asked["grey@one.example"]); n != 2 || len(verifier.asked) != 3 {
			t.Errorf("asked %v", verifier.asked)
		}
	})
}

// TestFailureIsNotRemembered checks that a later duplicate is not given what
// was a fault of ours.
func TestFailureIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, out := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if n <= 3 {
				return failed(address), fmt.Errorf("try %d", n)
			}
			return deliverable(address), nil
		}}, &file{}
		_, err := bulk.Run(t.Context(), listOf("a@one.example", "a@one.example"), out,
			bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)}.Within(bulk.Limits{Ahead: 1}))
		if err != nil || !out.results[0].Reason.Failed() || out.results[1].Reason.Failed() {
			t.Errorf("%v (%v)", out.results, err)
		}
	})
}

// TestForgotten checks that beyond the limit an address is verified again, and
// below it is not.
func TestForgotten(t *testing.T) {
	emails := append(numbered(1000, "one.example"), numbered(1000, "one.example")...)
	for octets, asked := range map[int64]int{5000: 2, 0: 1} {
		synctest.Test(t, func(t *testing.T) {
			verifier := &answers{}
			_, err := bulk.Run(t.Context(), listOf(emails...), &file{},
				bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)}.Within(bulk.Limits{Ahead: 100, RecentBytes: octets}))
			if got := len(verifier.asked["user1@one.example"]); err != nil || got != asked {
				t.Errorf("with %d octets asked %d times, want %d (%v)", octets, got, asked, err)
			}
		})
	}
}

// TestNoReuse checks that an address is verified again where that is wanted,
// unless it is in progress.
func TestNoReuse(t *testing.T) {
	for _, tt := range []struct {
		again bool
		times int
	}{{false, 1}, {true, 2}} {
		synctest.Test(t, func(t *testing.T) {
			verifier := &answers{}
			list := listOf("a@one.example", "a@one.example")
			summary, err := bulk.Run(t.Context(), later{list, time.Minute}, &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), NoReuse: tt.again})
			if n := len(verifier.asked["a@one.example"]); err != nil || n != tt.times || summary.Done != 2 {
				t.Errorf("NoReuse %v: asked %d times, %d done (%v)", tt.again, n, summary.Done, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		verifier := &answers{}
		_, err := bulk.Run(t.Context(), listOf("a@one.example", "a@one.example"), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), NoReuse: true})
		if n := len(verifier.asked["a@one.example"]); err != nil || n != 1 {
			t.Errorf("in progress: asked %d times (%v)", n, err)
		}
	})
}

// later is a source whose items come that long after each other.
type later struct {
	*list
	after time.Duration
}

func (l later) Next(ctx context.Context) (bulk.Item, error) {
	time.Sleep(l.after)
	return l.list.Next(ctx)
}
