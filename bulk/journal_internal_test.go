package bulk

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
)

// endless is a source of the same item, a second apart.
type endless struct{}

func (endless) Next(ctx context.Context) (Item, error) {
	select {
	case <-time.After(time.Second):
		return Item{Email: "a@one.example"}, nil
	case <-ctx.Done():
		return Item{}, io.EOF
	}
}

type yes struct{}

func (yes) Verify(_ context.Context, address string) (rcpt.Result, error) {
	return rcpt.Result{Email: address, Verdict: rcpt.VerdictDeliverable}, nil
}

type nowhere struct{}

func (nowhere) Write(context.Context, Item, rcpt.Result) error { return nil }

func (nowhere) Flush(context.Context) error { return nil }

// TestJournalFails: a run whose journal cannot be written ends with an error,
// and what was written before stays.
func TestJournalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "journal")
		journal, err := CreateJournal(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Second+time.Millisecond, func() { journal.file.Close() })
		began := time.Now()
		_, err = Run(t.Context(), endless{}, nowhere{}, Options{Verifier: OneByOne(yes{}.Verify), Journal: journal})
		if took := time.Since(began); !errors.Is(err, os.ErrClosed) || took > 13*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		journal.end()
		again, err := OpenJournal(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if settled := again.Settled(); settled < 9 {
			t.Errorf("%d are settled", settled)
		}
	})
}
