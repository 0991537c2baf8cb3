//go:build unix

package jobs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// someBad refuses the mailboxes that begin with "no".
func someBad(_ context.Context, email string, _ int) rcpt.Result {
	r := fine(email)
	if strings.HasPrefix(email, "no") {
		r.Verdict, r.Reason, r.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound, rcpt.ReasonMailboxNotFound
	}
	return r
}

// TestResults: results are found by what they are and by a part of the address,
// and in pages.
func TestResults(t *testing.T) {
	n := alone(t, &hosts{answer: someBad})
	j := n.create("email\na@a.example\nno@a.example\nAnn@b.example\na@a.example\nnone@b.example\n", Request{})
	n.untilDone(j.ID)
	undeliverable := []rcpt.Verdict{rcpt.VerdictUndeliverable}
	for _, c := range []struct {
		o      Output
		before bool
		row    int64
		limit  int
		want   string
		more   bool
	}{
		{Output{}, false, 0, 9, "0 a@a.example 1 no@a.example 2 Ann@b.example 3 a@a.example 4 none@b.example", false},
		{Output{}, false, 1, 2, "1 no@a.example 2 Ann@b.example", true},
		{Output{}, false, 3, 2, "3 a@a.example 4 none@b.example", false},
		{Output{}, false, 5, 2, "", false},
		{Output{}, false, -5, 1, "0 a@a.example", true},
		{Output{}, true, 5, 2, "3 a@a.example 4 none@b.example", true},
		{Output{}, true, 99, 1, "4 none@b.example", true},
		{Output{}, true, 2, 2, "0 a@a.example 1 no@a.example", false},
		{Output{}, true, 0, 2, "", false},
		{Output{Search: "AN"}, false, 0, 9, "2 Ann@b.example", false},
		{Output{Search: "b.example", Results: undeliverable}, false, 0, 9, "4 none@b.example", false},
		{Output{Search: "b.example", Results: undeliverable}, true, 4, 9, "", false},
		{Output{Groups: []bulk.Group{bulk.GroupBad}}, false, 0, 9, "1 no@a.example 4 none@b.example", false},
		{Output{Groups: []bulk.Group{bulk.GroupBad}}, true, 5, 1, "4 none@b.example", true},
	} {
		read := n.ResultsFrom
		if c.before {
			read = n.ResultsBefore
		}
		found, more, err := read(t.Context(), n.job(j.ID), c.o, c.row, c.limit)
		check(t, err)
		var emails []string
		for _, r := range found {
			emails = append(emails, fmt.Sprint(r.Number, " ", r.Results[0].Email))
		}
		if got := strings.Join(emails, " "); got != c.want || more != c.more {
			t.Errorf("%+v, %v of %d: %q, %v; want %q, %v", c.o, c.before, c.row, got, more, c.want, c.more)
		}
	}
}

// countingStore counts the segments that are read. An earlier version did not
// number their rows.
type countingStore struct {
	Store
	earlier bool
	read    int
}

func (s *countingStore) JobSegments(ctx context.Context, job string) ([]int64, error) {
	first, err := s.Store.JobSegments(ctx, job)
	for i := range first {
		if s.earlier {
			first[i] = -1
		}
	}
	return first, err
}

func (s *countingStore) JobSegment(ctx context.Context, job string, number int64) ([]byte, [][]byte, error) {
	s.read++
	return s.Store.JobSegment(ctx, job, number)
}

// TestPagesOfLargeList: pages anywhere in a list of several segments have its
// rows, also those whose address is far before them, and only what has these
// rows is read.
func TestPagesOfLargeList(t *testing.T) {
	const count = 2*segmentRows + 5000
	kept := openStore(t, store.Options{DataDir: t.TempDir()})
	counting := &countingStore{Store: kept}
	n := newNode(t, kept, Config{Store: counting, Verifier: quick{}})
	s, err := n.Receive(t.Context(), &largeList{rows: count})
	check(t, err)
	defer s.Close()
	j, err := n.Create(t.Context(), s, Request{By: rows.ByCommand("test")})
	check(t, err)
	j = n.untilDone(j.ID)
	if j.Segments != 3 {
		t.Fatalf("%d segments", j.Segments)
	}
	for _, c := range []struct {
		before, earlier bool
		row             int64
		from            int64
		limit, read     int
	}{
		{row: 0, limit: 25, read: 1},
		{row: count - 25, from: count - 25, limit: 25, read: 2}, // and the segment of the row that its rows repeat
		{row: count - 8, from: count - 8, limit: 8, read: 1},
		{row: segmentRows - 5, from: segmentRows - 5, limit: 10, read: 2},
		{before: true, row: count, from: count - 8, limit: 8, read: 1},
		{before: true, row: segmentRows + 5, from: segmentRows - 5, limit: 10, read: 2},
		{before: true, row: count, limit: count, read: 5},
		{row: 0, limit: count, read: 3},
		{earlier: true, row: count - 8, from: count - 8, limit: 8, read: 3},
		{before: true, earlier: true, row: 2*segmentRows + 3, from: 2*segmentRows - 3, limit: 6, read: 4},
	} {
		counting.read, counting.earlier = 0, c.earlier
		read := n.ResultsFrom
		if c.before {
			read = n.ResultsBefore
		}
		found, _, err := read(t.Context(), j, Output{}, c.row, c.limit)
		check(t, err)
		if len(found) != c.limit || counting.read > c.read {
			t.Errorf("%+v: %d rows of %d segments", c, len(found), counting.read)
		}
		want := &largeList{}
		for i, r := range found {
			if row := c.from + int64(i); r.Number != row || r.Results[0].Email != want.address(int(row)) || r.Results[0].Verdict != rcpt.VerdictDeliverable {
				t.Fatalf("%+v: row %d is %d, %s, %s", c, row, r.Number, r.Results[0].Email, r.Results[0].Verdict)
			}
		}
	}
}

// BenchmarkPages reads the first and the last page of a list, with and without
// rows whose address comes again.
func BenchmarkPages(b *testing.B) {
	n := newNode(b, openStore(b, store.Options{DataDir: b.TempDir()}), Config{Verifier: quick{}})
	const count = 1_000_000
	s, err := n.Receive(b.Context(), &largeList{rows: count})
	check(b, err)
	defer s.Close()
	j, err := n.Create(b.Context(), s, Request{By: rows.ByCommand("test")})
	check(b, err)
	for j.State != rows.JobDone {
		time.Sleep(50 * time.Millisecond)
		j = n.job(j.ID)
	}
	measure := func(name string, work func() error) {
		b.Run(name, func(b *testing.B) {
			used := processor()
			for b.Loop() {
				check(b, work())
			}
			b.ReportMetric(float64((processor()-used).Milliseconds())/float64(b.N), "CPU-ms/op")
		})
	}
	measure("first", func() error { _, _, err := n.ResultsFrom(b.Context(), j, Output{}, 0, 25); return err })
	measure("from the last", func() error { _, _, err := n.ResultsFrom(b.Context(), j, Output{}, count-25, 25); return err })
	measure("before the end", func() error { _, _, err := n.ResultsBefore(b.Context(), j, Output{}, count, 25); return err })
	measure("written", func() error { return n.Write(b.Context(), io.Discard, j, Output{Format: list.CSV}) })
}

// sheet is a list as a spreadsheet.
func sheet(t *testing.T, text string) string {
	t.Helper()
	r, err := list.NewReader(strings.NewReader(text), list.Options{})
	check(t, err)
	w, err := list.NewWriter(r, list.Output{Format: list.XLSX})
	check(t, err)
	var out bytes.Buffer
	p, err := w.Pack(&out, list.Plain)
	check(t, err)
	for row, err := r.Next(); err == nil; row, err = r.Next() {
		_, err := p.Write(w.Append(nil, row.Raw, rcpt.Result{}))
		check(t, err)
	}
	check(t, p.Close())
	return out.String()
}

// TestPackedLists: spreadsheets and compressed lists are verified, also ones
// that are larger than what is kept of their beginning.
func TestPackedLists(t *testing.T) {
	const many = 1200 // few long rows: what a row costs is not asked here
	var text strings.Builder
	text.WriteString("id,email\n")
	for i := range many {
		text.WriteString("x")
		for j := range 8 {
			fmt.Fprintf(&text, "%x", sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(j)}))
		}
		fmt.Fprintf(&text, ",a%d@d%d.example\n", i, i%7)
	}
	if text.Len() < headOctets {
		t.Fatalf("the list has only %d octets", text.Len())
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(text.String()))
	check(t, err)
	check(t, w.Close())
	n := alone(t, &hosts{answer: someBad})
	for name, octets := range map[string]string{"spreadsheet": sheet(t, text.String()), "gzip": zipped.String()} {
		n.untilDone(n.create(octets, Request{}).ID)
		jobs, err := n.Jobs(t.Context(), rows.JobQuery{Limit: 1})
		check(t, err)
		out := n.output(jobs[0].ID, Output{})
		if first := strings.SplitN(out, ",deliverable,", 2)[0]; !strings.HasSuffix(first, ",a0@d0.example") || strings.Count(out, "\n") != many+1 {
			t.Errorf("%s: %d rows, %.200q", name, strings.Count(out, "\n"), out)
		}
		if again := n.output(jobs[0].ID, Output{Format: list.XLSX}); !strings.HasPrefix(again, "PK") {
			t.Errorf("%s: %.20q", name, again)
		}
	}
}
