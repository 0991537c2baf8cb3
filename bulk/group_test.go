package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// grouped is a Verifier, for which each address of a group takes as long
// as by itself.
type grouped struct {
	answers
	groups [][]string // of several
}

func (g *grouped) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	if len(addresses) > 1 {
		g.mu.Lock()
		g.groups = append(g.groups, slices.Clone(addresses))
		g.mu.Unlock()
	}
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			result, err := g.Verify(ctx, address)
			done(i, result, err)
		})
	}
	all.Wait()
}

func domainOf(address string) string {
	_, domain, _ := strings.Cut(address, "@")
	return domain
}

// TestGroups checks that addresses of a domain are verified together, and of no
// other; that the first goes ahead; and that order and concurrency are as ever.
func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for i := range 300 {
			emails = append(emails, fmt.Sprintf("user%d@domain%d.example", i, i%3))
		}
		emails = append(emails, "alone@single.example", "nonsense", "@", "more nonsense")
		v := &grouped{}
		out := &file{}
		_, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{Verifier: v, Concurrency: 100})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
		if v.most > 100 {
			t.Errorf("%d at a time", v.most)
		}
		together, first := 0, map[string]time.Duration{}
		for address, at := range v.asked {
			if len(at) != 1 {
				t.Errorf("%s was asked about %d times", address, len(at))
			}
		}
		for _, group := range v.groups {
			together += len(group)
			if len(group) < 2 || len(group) > 50 {
				t.Errorf("a group of %d", len(group))
			}
			for _, address := range group {
				if d := domainOf(address); d != domainOf(group[0]) {
					t.Errorf("%s in a group of %s", address, domainOf(group[0]))
				}
				first[domainOf(address)] = v.asked[address][0]
			}
		}
		// How many are in groups depends on which of the others end at the same
		// time: 285 to 299 in 11 to 24 groups, in 300 runs.
		if together < 250 || len(v.groups) > 60 {
			t.Errorf("%d addresses in %d groups", together, len(v.groups))
		}
		for i := range 3 {
			if d := fmt.Sprintf("domain%d.example", i); first[d] < time.Second {
				t.Errorf("%s: the others came %v after the first", d, first[d])
			}
		}
	})
}

// TestGroupsAreRetried checks that what is temporary, or busy, about one of a
// group is its own matter.
func TestGroupsAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(40, "example.test")
		v := &grouped{answers: answers{reply: func(address string, n int) (rcpt.Result, error) {
			switch {
			case strings.HasSuffix(localOf(address), "3") && n == 1:
				return greylisted(address, time.Minute), nil
			case strings.HasSuffix(localOf(address), "7") && n == 1:
				return failed(address), engine.ErrBusy
			}
			return deliverable(address), nil
		}}}
		out := &file{}
		_, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{Verifier: v, RetryWindow: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
		for address, at := range v.asked {
			again := strings.HasSuffix(localOf(address), "3") || strings.HasSuffix(localOf(address), "7")
			if (len(at) == 2) != again {
				t.Errorf("%s was asked about %d times", address, len(at))
			}
		}
	})
}

func localOf(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return local
}

// TestCancelWhileGroupsAreAsked checks that a cancelled run ends at once.
func TestCancelWhileGroupsAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(1500*time.Millisecond, cancel)
		began := time.Now()
		_, err := bulk.Run(ctx, listOf(numbered(200, "example.test")...), &file{}, bulk.Options{Verifier: &grouped{}, Concurrency: 60})
		if took := time.Since(began); !errors.Is(err, context.Canceled) || took > 1600*time.Millisecond {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// TestGroupsKeepNothingForTheLast checks that a result which was written is not
// kept until the slowest of its group has its own.
func TestGroupsKeepNothingForTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []weak.Pointer[rcpt.Details]
		emails := numbered(40, "example.test")
		v := &grouped{answers: answers{reply: func(address string, _ int) (rcpt.Result, error) {
			if address == emails[39] {
				time.Sleep(time.Minute)
			}
			result := deliverable(address)
			mu.Lock()
			defer mu.Unlock()
			told = append(told, weak.Make(result.Details))
			return result, nil
		}}}
		time.AfterFunc(30*time.Second, func() {
			runtime.GC()
			mu.Lock()
			defer mu.Unlock()
			kept := 0
			for _, details := range told {
				if details.Value() != nil {
					kept++
				}
			}
			if kept > 2 || len(told) != len(emails)-1 { // the last may be on a stack
				t.Errorf("%d told, %d kept", len(told), kept)
			}
		})
		_, err := bulk.Run(t.Context(), listOf(emails...), forgetful{}, bulk.Options{Verifier: v}.Within(bulk.Limits{RecentBytes: 1}))
		if err != nil {
			t.Fatal(err)
		}
	})
}

// forgetful is a sink.
type forgetful struct{}

func (forgetful) Write(context.Context, bulk.Item, rcpt.Result) error { return nil }

func (forgetful) Flush(context.Context) error { return nil }
