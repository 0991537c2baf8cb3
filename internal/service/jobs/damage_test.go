//go:build unix

package jobs

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// flipping is a store whose values have a bit that is not what was stored.
type flipping struct {
	*store.Store
	flip func(value []byte)
	lose bool // the last value of results is missing
}

func (s *flipping) JobHead(ctx context.Context, job string) ([]byte, error) {
	head, err := s.Store.JobHead(ctx, job)
	s.flip(head)
	return head, err
}

func (s *flipping) JobSegment(ctx context.Context, job string, segment int64) ([]byte, [][]byte, error) {
	data, results, err := s.Store.JobSegment(ctx, job, segment)
	s.flip(data)
	for _, r := range results {
		s.flip(r)
	}
	if s.lose && len(results) > 0 {
		results = results[1:]
	}
	return data, results, err
}

// TestFlippedBits: no bit that changes in what is stored of a list gives a
// complete file that is wrong, and the list and the log say that it is damaged.
func TestFlippedBits(t *testing.T) {
	h := &hosts{answer: func(_ context.Context, email string, times int) rcpt.Result {
		r := fine(email)
		if times%2 == 0 || strings.Contains(email, "7") {
			r.Verdict, r.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound
		}
		r.Message = "Fine: " + email
		return r
	}}
	s := &flipping{Store: openStore(t, store.Options{DataDir: t.TempDir()}), flip: func([]byte) {}}
	n := newNode(t, s.Store, Config{Store: s, Verifier: h})
	j := n.untilDone(n.create(manyRows(1500), Request{}).ID)
	whole := n.output(j.ID, Output{})

	dice := rand.New(rand.NewPCG(1, 1))
	noticed := 0
	flips := 1000
	if testing.Short() {
		flips = 150
	}
	for i := range flips {
		value, left := dice.IntN(4), true // which of the values has it
		s.flip = func(octets []byte) {
			if value--; value < 0 && left && len(octets) > 0 {
				octets[dice.IntN(len(octets))] ^= 1 << dice.IntN(8)
				left = false
			}
		}
		var out bytes.Buffer
		err := n.Write(t.Context(), &out, n.job(j.ID), Output{Format: list.CSV})
		if err == nil && out.String() != whole {
			t.Errorf("flip %d: a complete file is wrong", i)
		}
		if errors.Is(err, ErrDamaged) {
			noticed++
		}
	}
	t.Logf("%d of %d flips are noticed", noticed, flips)
	if noticed < flips*9/10 {
		t.Errorf("only %d of %d flips are noticed", noticed, flips)
	}
	if now := n.job(j.ID); now.Problem != damageNote || now.State != rows.JobDone {
		t.Errorf("the list says %q", now.Problem)
	}
}

// TestLostResults: a list that is done has a result for each address, or it is
// damaged; one that runs has those that are there.
func TestLostResults(t *testing.T) {
	s := &flipping{Store: openStore(t, store.Options{DataDir: t.TempDir()}), flip: func([]byte) {}}
	n := newNode(t, s.Store, Config{Store: s, Verifier: &hosts{}})
	j := n.untilDone(n.create("a@one.example\nb@two.example\na@one.example\n", Request{}).ID)
	s.lose = true
	err := n.Write(t.Context(), &bytes.Buffer{}, n.job(j.ID), Output{Format: list.CSV})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("results are lost: %v", err)
	}
	var book bytes.Buffer
	if err := n.Write(t.Context(), &book, n.job(j.ID), Output{Format: list.XLSX}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a spreadsheet: %v", err)
	}
	if _, err := zip.NewReader(bytes.NewReader(book.Bytes()), int64(book.Len())); err == nil {
		t.Errorf("what was written of a damaged list is a whole spreadsheet of %d octets", book.Len())
	}
	if _, _, err := n.ResultsFrom(t.Context(), n.job(j.ID), Output{}, 0, 10); !errors.Is(err, ErrDamaged) {
		t.Errorf("the page: %v", err)
	}
	j.State = rows.JobCancelled
	if err := n.Write(t.Context(), &bytes.Buffer{}, j, Output{Format: list.CSV}); err != nil {
		t.Errorf("of a list that was cancelled: %v", err)
	}
}

// TestPartsProveThemselves: a value is what was stored, where it was stored, or
// one of an earlier version, which has no proof.
func TestPartsProveThemselves(t *testing.T) {
	value := []byte(strings.Repeat("some rows ", 100))
	of := part{partRows, "job_1", 3}
	packed := of.pack(value)
	for i := range len(packed) * 8 {
		flipped := slices.Clone(packed)
		flipped[i/8] ^= 1 << (i % 8)
		if got, err := of.unpack(flipped); err == nil && !bytes.Equal(got, value) {
			t.Errorf("bit %d: %d octets", i, len(got))
		}
	}
	for _, other := range []part{{partBatch, "job_1", 3}, {partRows, "job_2", 3}, {partRows, "job_1", 4}} {
		if _, err := other.unpack(packed); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v is taken for %v: %v", of, other, err)
		}
	}
	earlier := packed[:len(packed)-sumOctets]
	if got, err := of.unpack(earlier); err != nil || !bytes.Equal(got, value) {
		t.Errorf("of an earlier version: %v", err)
	}
	for cut := 1; cut < len(packed); cut++ {
		if got, err := of.unpack(packed[:cut]); err == nil && !bytes.Equal(got, value) {
			t.Fatal(fmt.Sprint("cut at ", cut))
		}
	}
}
