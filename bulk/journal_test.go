package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

var conditions = map[string]string{"the list": "list", "--level": "smtp"}

// inJournal runs a list with a journal that is made or opened, and closes it.
func inJournal(t *testing.T, ctx context.Context, open func(string, map[string]string) (*bulk.Journal, error), name string, source bulk.Source, o bulk.Options) (*file, bulk.Summary, int64, error) {
	t.Helper()
	journal, err := open(name, conditions)
	if err != nil {
		t.Fatal(err)
	}
	out := &file{}
	o.Journal = journal
	summary, err := bulk.Run(ctx, source, out, o)
	settled := journal.Settled()
	if err := journal.Close(); err != nil {
		t.Error(err)
	}
	return out, summary, settled, err
}

// greyFirst greylists the first address of a list for five minutes; the others
// have their answer at once.
func greyFirst(emails []string) *answers {
	return &answers{reply: func(address string, n int) (rcpt.Result, error) {
		if address == emails[0] && n == 1 {
			return greylisted(address, 5*time.Minute), nil
		}
		return deliverable(address), nil
	}}
}

// TestJournal: a run that was stopped at once goes on where it was, however
// many rows one greylisted address has held back.
func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(300, "one.example")
		emails = append(emails, "user7@one.example", "not an address", "")
		name := filepath.Join(t.TempDir(), "journal")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3500*time.Millisecond, cancel)
		first := greyFirst(emails)
		options := bulk.Options{RetryWindow: time.Hour, Verifier: bulk.OneByOne(first.Verify)}.Within(bulk.Limits{PerDomain: 50})
		out, _, settled, err := inJournal(t, ctx, bulk.CreateJournal, name, listOf(emails...), options)
		if !errors.Is(err, context.Canceled) || len(out.lines) != 0 || settled < 50 || settled > 250 {
			t.Fatalf("%d rows written, %d settled, error %v", len(out.lines), settled, err)
		}

		second := &answers{}
		options.Verifier = bulk.OneByOne(second.Verify)
		out, summary, all, err := inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), options)
		if err != nil || all != int64(len(emails)) {
			t.Fatalf("%d settled, error %v", all, err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
		if summary.Recalled != settled || summary.Done != all || summary.Duplicates > 1 {
			t.Errorf("summary %+v, want %d recalled", summary, settled)
		}
		if asked := int64(len(second.asked)); asked < all-settled-2 || asked > all-settled {
			t.Errorf("%d are asked about, %d of %d were settled", asked, settled, all)
		}
		if again := second.asked[emails[0]]; len(again) != 1 {
			t.Errorf("who waited for a retry is asked about %d times", len(again))
		}

		third := &answers{}
		options.Verifier = bulk.OneByOne(third.Verify)
		out, _, _, err = inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), options)
		if err != nil || len(third.asked) > 0 || len(out.lines) != len(emails) {
			t.Errorf("with everything settled: %d asked about, %d rows, error %v", len(third.asked), len(out.lines), err)
		}
	})
}

// TestJournalKeepsResults: a result from a journal is as it was, its details
// included.
func TestJournalKeepsResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(10, "one.example")
		name := filepath.Join(t.TempDir(), "journal")
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			r := deliverable(address)
			r.Message, r.Suggestion, r.CheckedAt = "Ü\n", "other@one.example", time.Now().UTC()
			return r, nil
		}}
		before, _, _, err := inJournal(t, t.Context(), bulk.CreateJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)})
		if err != nil {
			t.Fatal(err)
		}
		after, _, _, err := inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before.results, after.results); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

// TestJournalHasNoTemporaryAnswers: what a drained run gives as the last word
// is asked about again by the next; so is what failed on our side.
func TestJournalHasNoTemporaryAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(9, "one.example")
		name := filepath.Join(t.TempDir(), "journal")
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			switch address {
			case emails[0]:
				return greylisted(address, 5*time.Minute), nil
			case emails[1]:
				return failed(address), errors.New("out of memory")
			case emails[2]:
				return result(address, rcpt.VerdictUnknown, "port_blocked"), nil
			case emails[3]:
				time.Sleep(21 * time.Second) // until after the drain
				return greylisted(address, 5*time.Minute), nil
			case emails[4]:
				return result(address, rcpt.VerdictUnknown, rcpt.ReasonEgressFailed), nil
			}
			return deliverable(address), nil
		}}
		drain := make(chan struct{})
		time.AfterFunc(20*time.Second, func() { close(drain) })
		out, summary, settled, err := inJournal(t, t.Context(), bulk.CreateJournal, name, listOf(emails...),
			bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: time.Hour, Drain: drain})
		if err != nil || len(out.lines) != 9 || !summary.Drained || settled != 4 {
			t.Errorf("%d rows, %d settled, error %v", len(out.lines), settled, err)
		}
		next := &answers{}
		if _, _, _, err := inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne(next.Verify)}); err != nil {
			t.Fatal(err)
		}
		for i, email := range emails {
			if asked := len(next.asked[email]) > 0; asked != (i < 5) {
				t.Errorf("%s: asked about again: %v", email, asked)
			}
		}
	})
}

// TestTornJournal: whatever is cut off or never reached the disk, the records
// before it are good and the run goes on.
func TestTornJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(4, "one.example")
		name := filepath.Join(t.TempDir(), "journal")
		if _, _, _, err := inJournal(t, t.Context(), bulk.CreateJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)}); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		damages := map[string][]byte{"zeros behind it": append(whole[:len(whole):len(whole)], make([]byte, 4096)...)}
		for size := 0; size < len(whole); size += 1 + size/40 { // dense at the head
			damages[fmt.Sprintf("cut to %d octets", size)] = whole[:size]
			if size > len("rcpt journal 3\n") {
				zeros := append([]byte(nil), whole...)
				clear(zeros[size:])
				damages[fmt.Sprintf("zeros from %d on", size)] = zeros
			}
		}
		for damage, octets := range damages {
			if err := os.WriteFile(name, octets, 0o600); err != nil {
				t.Fatal(err)
			}
			verifier := &answers{}
			out, summary, settled, err := inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)})
			if err != nil || settled != 4 || summary.Recalled+int64(len(verifier.asked)) != 4 {
				t.Errorf("%s: %d settled, %d recalled, %d asked about, error %v", damage, settled, summary.Recalled, len(verifier.asked), err)
			}
			if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
				t.Errorf("%s: output (-want +got):\n%s", damage, diff)
			}
			if strings.Contains(damage, "behind") && summary.Recalled != 4 {
				t.Errorf("%s: %d recalled", damage, summary.Recalled)
			}
		}
	})
}

// TestJournalIsRefused: what cannot be gone on with is named.
func TestJournalIsRefused(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "journal")
	if _, err := bulk.OpenJournal(name, conditions); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	journal, err := bulk.CreateJournal(name, conditions)
	if err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func(string, map[string]string) (*bulk.Journal, error){"open": bulk.OpenJournal, "create": bulk.CreateJournal} {
		if _, err := open(name, conditions); !errors.Is(err, bulk.ErrJournalInUse) {
			t.Errorf("%s one in use: %v", what, err)
		}
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	var changed *bulk.JournalChangedError
	_, err = bulk.OpenJournal(name, map[string]string{"the list": "list", "--level": "dns"})
	if !errors.As(err, &changed) || *changed != (bulk.JournalChangedError{Condition: "--level", Then: "smtp", Now: "dns"}) {
		t.Errorf("changed: %v", err)
	}
	if _, err = bulk.OpenJournal(name, map[string]string{"the list": "list"}); !errors.Is(err, bulk.ErrJournalChanged) || !strings.Contains(err.Error(), "--level has changed") {
		t.Errorf("one condition less: %v", err)
	}
	for _, text := range []string{"rcpt journal 0\nxxxx", "email,rcpt_result\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bulk.OpenJournal(name, conditions); !errors.Is(err, bulk.ErrJournalVersion) {
			t.Errorf("%q: %v", text, err)
		}
	}
	journal, err = bulk.CreateJournal(name, conditions)
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestJournalOfAnotherList: an item that is not the one of the journal is never
// given its answer.
func TestJournalOfAnotherList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := numbered(4, "one.example")
		name := filepath.Join(t.TempDir(), "journal")
		if _, _, _, err := inJournal(t, t.Context(), bulk.CreateJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)}); err != nil {
			t.Fatal(err)
		}
		emails[2] = "other@one.example"
		out, _, _, err := inJournal(t, t.Context(), bulk.OpenJournal, name, listOf(emails...), bulk.Options{Verifier: bulk.OneByOne((&answers{}).Verify)})
		if err == nil || !strings.Contains(err.Error(), "item 3 of the list has changed") || len(out.lines) != 2 {
			t.Errorf("%d rows, error %v", len(out.lines), err)
		}
	})
}
