package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// openJournal continues the journal of an earlier run, or begins one. Its
// conditions are what the results rest on: results of other settings are not
// taken.
func openJournal(name string) (*bulk.Journal, error) {
	conditions := map[string]string{"list": "customers.csv", "level": "smtp"}
	journal, err := bulk.OpenJournal(name, conditions)
	if errors.Is(err, os.ErrNotExist) {
		return bulk.CreateJournal(name, conditions)
	}
	return journal, err
}

// A run is stopped in the middle, and the next one asks about the rest.
func ExampleOpenJournal() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	list := []string{"ann@example.com", "bob@example.com", "cat@example.com", "dan@example.com"}

	run := func(stopAfter int) error {
		journal, err := openJournal(filepath.Join(dir, "customers.journal"))
		if err != nil {
			return err
		}
		defer journal.Close()
		fmt.Println(journal.Settled(), "settled before")
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		asked := 0
		verifier := bulk.OneByOne(func(ctx context.Context, address string) (rcpt.Result, error) { // in the program: the engine
			if asked++; asked > stopAfter {
				stop()
				return rcpt.Result{}, ctx.Err()
			}
			return rcpt.Result{Email: address, Domain: "example.com", Verdict: rcpt.VerdictAcceptAll, Reason: rcpt.ReasonCatchAll}, nil
		})
		var written []string
		sink := bulk.SinkFunc(func(_ context.Context, item bulk.Item, _ rcpt.Result) error {
			written = append(written, item.Email)
			return nil
		})
		_, err = bulk.Run(ctx, bulk.Addresses(slices.Values(list)), sink, bulk.Options{
			Verifier: verifier, Concurrency: 1, Journal: journal,
		})
		fmt.Println(written, err)
		return nil
	}
	for _, stopAfter := range []int{2, 100} {
		if err := run(stopAfter); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 0 settled before
	// [ann@example.com bob@example.com] bulk: stopped: context canceled
	// 2 settled before
	// [ann@example.com bob@example.com cat@example.com dan@example.com] <nil>
}
