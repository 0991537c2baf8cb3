package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// cleaning is what programs write around an engine: a type that embeds one and
// has a Verify of its own.
type cleaning struct{ *engine.Verifier }

func (c cleaning) Verify(ctx context.Context, text string) (rcpt.Result, error) {
	return c.VerifyWith(ctx, text, engine.VerifyOptions{Clean: true})
}

// TestWrapperIsAlikeAtAnySize checks that a type that embeds an engine does the
// same to every address of a domain, however many there are: its Verify is
// used where the program says so, and nowhere else.
func TestWrapperIsAlikeAtAnySize(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1000} {
		synctest.Test(t, func(t *testing.T) {
			texts := numbered(n, "example.org")
			for i, address := range texts {
				texts[i] = fmt.Sprintf("User %d <%s>", i+1, address)
			}
			world := enginetest.New(t)
			world.Domain("example.org", &smtptest.Host{CatchAll: true})
			wrapper := cleaning{world.Verifier(engine.Config{})}
			for name, tt := range map[string]struct {
				options bulk.Options
				want    rcpt.Verdict
			}{
				"as an engine":  {bulk.Options{Verifier: wrapper}, rcpt.VerdictUndeliverable},
				"by its Verify": {bulk.Options{Verifier: bulk.OneByOne(wrapper.Verify)}, rcpt.VerdictAcceptAll},
				"Clean":         {bulk.Options{Verifier: wrapper, Clean: true}, rcpt.VerdictAcceptAll},
			} {
				summary, err := bulk.Run(t.Context(), listOf(texts...), &file{}, tt.options)
				if got := summary.Verdicts[tt.want]; err != nil || got != int64(n) {
					t.Errorf("%s: %d of %d are %s (%v)", name, got, n, tt.want, err)
				}
			}
		})
	}
}

// TestOneByOne checks that each address is verified by a call of its own, those
// of a domain at the same time, and within the concurrency.
func TestOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(200, "one.example")
		v, out := &answers{}, &file{}
		if _, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{Verifier: bulk.OneByOne(v.Verify), Concurrency: 30}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" || len(v.asked) != 200 || v.most != 30 {
			t.Errorf("%d asked about, %d at a time; output (-want +got):\n%s", len(v.asked), v.most, diff)
		}
	})
	verify := bulk.OneByOne((&answers{}).Verify)
	for name, o := range map[string]bulk.Options{
		"Level":       {Verifier: verify, Level: engine.LevelDNS},
		"Fresh":       {Verifier: verify, Fresh: true},
		"deep":        {Verifier: discarding{}, Level: "deep"},
		"no function": {Verifier: bulk.OneByOne(nil)},
	} {
		if _, err := bulk.Run(t.Context(), listOf("a@b.example"), &file{}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	told := 0
	verify.VerifyGroup(t.Context(), []string{"a@b.example", "c@b.example"}, engine.GroupOptions{Fresh: true}, func(_ int, r rcpt.Result, err error) {
		if told++; err == nil || !r.Reason.Failed() {
			t.Errorf("%+v, %v", r, err)
		}
	})
	if told != 2 {
		t.Errorf("told of %d of 2", told)
	}
}

// discarding is a Verifier that tells nothing of addresses that begin with
// "lost", and whose options are noted.
type discarding struct{ told *engine.GroupOptions }

func (d discarding) VerifyGroup(
	_ context.Context, addresses []string, o engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	if d.told != nil {
		*d.told = o
	}
	for i, address := range addresses {
		if !strings.HasPrefix(address, "lost") {
			done(i, deliverable(address), nil)
		}
	}
}

// TestVerifierTellsNothing checks that a run ends, and has an error of each
// address, where a Verifier returns without a result.
func TestVerifierTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := []string{"lost@a.example", "found1@b.example", "lost@b.example", "lost2@b.example", "found2@b.example"}
		out := &file{}
		summary, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{Verifier: discarding{}})
		if err != nil || summary.Failed != 3 || summary.Verdicts[rcpt.VerdictDeliverable] != 2 || len(out.lines) != 5 {
			t.Errorf("%+v, %v", summary, err)
		}
	})
}

// TestSettingsOfARun checks that the Verifier has the settings of a run.
func TestSettingsOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told engine.GroupOptions
		o := bulk.Options{Verifier: discarding{&told}, Level: engine.LevelDNS, Fresh: true, Clean: true}
		if _, err := bulk.Run(t.Context(), listOf("A <a@b.example>"), &file{}, o); err != nil {
			t.Fatal(err)
		}
		if told.Level != engine.LevelDNS || !told.Fresh || told.Clean || told.Caller == nil {
			t.Errorf("%+v", told) // what is cleaned already is not cleaned again
		}
	})
}

// TestClean checks that texts are cleaned whatever the Verifier is, that
// spellings of an address share an answer and keep their own text, also where
// they are retried, and that a text without one address is not asked about.
func TestClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if n == 1 {
				return greylisted(address, time.Minute), nil
			}
			return deliverable(address), nil
		}}
		texts := []string{"A <a@one.example>", "a@ONE.example", "a@one.example; b@one.example", "n/a", " <a@one.example>", "b@one.example"}
		out := &file{}
		options := bulk.Options{Verifier: bulk.OneByOne(v.Verify), Clean: true, RetryWindow: time.Hour}
		summary, err := bulk.Run(t.Context(), listOf(texts...), out, options.Within(bulk.Limits{HeldBytes: 1}))
		if err != nil {
			t.Fatal(err)
		}
		var got [][3]string
		for _, r := range out.results {
			got = append(got, [3]string{r.Email, string(r.Reason), r.Details.Given})
		}
		want := [][3]string{
			{"a@one.example", "recipient_accepted", texts[0]}, {"a@ONE.example", "recipient_accepted", ""},
			{texts[2], "several_addresses", ""}, {"n/a", "no_address", ""},
			{"a@one.example", "recipient_accepted", texts[4]}, {"b@one.example", "recipient_accepted", ""},
		}
		if diff := cmp.Diff(want, got); diff != "" || summary.Duplicates != 2 {
			t.Errorf("%d duplicates; (-want +got):\n%s", summary.Duplicates, diff)
		}
		if len(v.asked) != 2 || len(v.asked["a@one.example"]) != 2 {
			t.Errorf("asked: %v", v.asked)
		}
	})
}

// TestKnown checks that what is known is written as it is and counted, in
// order, and that other items with the address are verified all the same.
func TestKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := result("a@one.example", rcpt.VerdictUnknown, rcpt.ReasonSpamTrap)
		known.Message = "As it is."
		list := &list{items: []bulk.Item{
			{Email: "a@one.example"},
			{Email: "a@one.example", Row: []byte("second"), Known: &known},
			{Email: "a@one.example"},
			{Email: "", Known: &known},
		}}
		v, out := &answers{}, &file{}
		trimmed := 0
		summary, err := bulk.Run(t.Context(), list, out, bulk.Options{
			Verifier: bulk.OneByOne(v.Verify),
			Trim:     func(r rcpt.Result) rcpt.Result { trimmed++; return r.WithoutDetails() },
		})
		if err != nil || summary.Done != 4 || summary.Reasons[rcpt.ReasonSpamTrap] != 2 || summary.Duplicates != 1 || trimmed != 3 {
			t.Errorf("%d trimmed, %+v, %v", trimmed, summary, err)
		}
		if len(v.asked) != 1 || len(v.asked["a@one.example"]) != 1 {
			t.Errorf("asked: %v", v.asked)
		}
		want := []string{": a@one.example deliverable", "second: a@one.example unknown", ": a@one.example deliverable", ": a@one.example unknown"}
		if !slices.Equal(out.lines, want) || out.results[1].Message != "As it is." {
			t.Errorf("%q, want %q", out.lines, want)
		}
		if known.Details == nil {
			t.Error("the known result was changed")
		}
	})
}

// TestItems checks that an iterator is read to its end, that its error is that
// of the source, and that it is stopped if the run ends before.
func TestItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &file{}
		emails := numbered(300, "one.example")
		options := bulk.Options{Verifier: discarding{}}
		if _, err := bulk.Run(t.Context(), bulk.Addresses(slices.Values(emails)), out, options); err != nil || len(out.results) != 300 {
			t.Errorf("%d of 300, %v", len(out.results), err)
		}
		broken := errors.New("broken")
		_, err := bulk.Run(t.Context(), bulk.Items(func(yield func(bulk.Item, error) bool) {
			_ = yield(bulk.Item{Email: "a@b.example"}, nil) && yield(bulk.Item{}, broken) && yield(bulk.Item{Email: "c@b.example"}, nil)
		}), out, options)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "item 2") || len(out.results) != 301 {
			t.Errorf("%v, %d results", err, len(out.results))
		}
		var once sync.Once
		stopped, cancelled := false, errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		endless := bulk.RowsOf(func(yield func(int, error) bool) {
			defer func() { stopped = true }()
			for i := 0; yield(i, nil); i++ {
			}
		}, func(i int) string { return fmt.Sprintf("user%d@b.example", i) })
		var wrong []string
		_, err = bulk.Run(ctx, endless, bulk.WriteRows(func(_ context.Context, row int, r rcpt.Result) error {
			if r.Email != fmt.Sprintf("user%d@b.example", row) {
				wrong = append(wrong, r.Email)
			}
			once.Do(func() { cancel(cancelled) })
			return nil
		}), options)
		synctest.Wait()
		if !errors.Is(err, cancelled) || !stopped || len(wrong) > 0 {
			t.Errorf("%v; stopped: %v; rows of others: %q", err, stopped, wrong)
		}
		gone, cancel2 := context.WithCancelCause(t.Context())
		_, err = bulk.Run(gone, bulk.Addresses(func(yield func(string) bool) {
			cancel2(cancelled) // it ends because its program does
		}), out, options)
		if !errors.Is(err, cancelled) {
			t.Errorf("an iterator that ends with the context: %v", err)
		}
		bad := bulk.RowsOf(func(yield func(chan int, error) bool) { yield(nil, nil) }, func(chan int) string { return "a@b.example" })
		if _, err := bulk.Run(t.Context(), bad, out, options); err == nil {
			t.Error("a row that JSON cannot hold: no error")
		}
	})
}
