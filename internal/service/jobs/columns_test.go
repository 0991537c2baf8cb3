//go:build unix

package jobs

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestSeveralColumns: each column that is read has its own results in its row,
// an address is asked about once wherever it stands, and what is asked for
// finds rows by any of their results.
func TestSeveralColumns(t *testing.T) {
	h := &hosts{answer: someBad}
	n := alone(t, h)
	text := "Name,E-mail 1,E-mail 2\n" +
		"Ann,ann@a.example,no@a.example\n" +
		"Bob,,bob@b.example\n" +
		"Cy,no@a.example,ann@A.example\n" + // both are repeated, in other columns
		"Dee,,\n" +
		"Eve,eve@c.example x@c.example,eve@c.example\n"
	f := Format{Columns: []string{"E-mail 1", "3"}}
	plan, err := n.Plan(t.Context(), n.receive(text), Request{Format: f})
	check(t, err)
	if plan.Rows != 5 || plan.Unusable != 1 || plan.Addresses != 4 || plan.Duplicates != 2 || plan.Domains != 3 {
		t.Errorf("%+v", plan)
	}
	j := n.untilDone(n.create(text, Request{Format: f}).ID)
	if j.Rows != 5 || j.Unusable != 1 || j.Addresses != 4 || j.Duplicates != 2 || j.Done != 4 {
		t.Errorf("%+v", j)
	}
	for email, times := range h.asked {
		if times != 1 {
			t.Errorf("%s was asked about %d times", email, times)
		}
	}
	of := func(o Output) (found []string) {
		all, err := csv.NewReader(strings.NewReader(n.output(j.ID, o))).ReadAll()
		check(t, err)
		first, second := slices.Index(all[0], "rcpt_result (E-mail 1)"), slices.Index(all[0], "rcpt_result (E-mail 2)")
		for _, cells := range all {
			found = append(found, cells[0]+": "+cells[first]+", "+cells[second])
		}
		return found
	}
	head := "Name: rcpt_result (E-mail 1), rcpt_result (E-mail 2)"
	want := []string{head, "Ann: deliverable, undeliverable", "Bob: unknown, deliverable",
		"Cy: undeliverable, deliverable", "Dee: unknown, unknown", "Eve: unknown, deliverable"}
	if diff := cmp.Diff(want, of(Output{})); diff != "" {
		t.Error(diff)
	}
	want = []string{head, "Ann: deliverable, undeliverable", "Cy: undeliverable, deliverable"}
	if diff := cmp.Diff(want, of(Output{Results: []rcpt.Verdict{rcpt.VerdictUndeliverable}})); diff != "" {
		t.Error(diff)
	}
	// One result has to be all that is asked for.
	o := Output{Results: []rcpt.Verdict{rcpt.VerdictUndeliverable}, Search: "ann"}
	if diff := cmp.Diff([]string{head}, of(o)); diff != "" {
		t.Error(diff)
	}
}

// TestRowsForPeople: a row has its cells by name and its results by column.
func TestRowsForPeople(t *testing.T) {
	n := alone(t, &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		r := fine(email)
		r.Role, r.Free = true, true
		r.Suggestion = "ann@a.example"
		r.Details = &rcpt.Details{CatchAll: rcpt.CatchAllNo}
		return r
	}})
	long := strings.Repeat("é", shownCharacters+1)
	text := "Name,E-mail 1,,E-mail 2\nZoé,an@a.example," + long + ",\n"
	for i := range 2 * shownCells { // they are not shown
		text = strings.Replace(text, "\n", fmt.Sprintf(",c%d\n", i), 1)
	}
	j := n.create(text, Request{Format: Format{Columns: []string{"4", "2"}}})
	n.untilDone(j.ID)
	found, more, err := n.ResultsFrom(t.Context(), n.job(j.ID), Output{}, 0, 9)
	check(t, err)
	if len(found) != 1 || more {
		t.Fatalf("%d rows", len(found))
	}
	cells := []Cell{
		{"Name", "Zoé"}, {"E-mail 1", "an@a.example"},
		{"Column 3", strings.Repeat("é", shownCharacters) + "…"}, {"E-mail 2", ""},
	}
	if diff := cmp.Diff(cells, found[0].Cells); diff != "" {
		t.Error(diff)
	}
	none, one := found[0].Results[0], found[0].Results[1]
	if none.Column != "E-mail 2" || none.Result.Reason != rcpt.ReasonNoAddress || len(none.Flags) > 0 {
		t.Errorf("%+v", none)
	}
	if one.Column != "E-mail 1" || one.Email != "an@a.example" || one.Suggestion != "ann@a.example" ||
		one.Action != rcpt.ActionSend || one.Group != bulk.GroupSafe || found[0].Group != bulk.GroupSafe || strings.Join(one.Flags, " ") != "role free_email" {
		t.Errorf("%+v", one)
	}
}

// TestSeveralColumnsOfLongList has several segments, and addresses that other
// columns repeat in other segments; pages anywhere in it have its rows.
func TestSeveralColumnsOfLongList(t *testing.T) {
	const count = 2*segmentRows + 100
	n := alone(t, &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		r := fine(email)
		r.Message = "Fine: " + email // to see that each cell has its own
		return r
	}})
	emailOf := func(row, column int) string { // the second column repeats the first, far from it
		box := (row + column*(segmentRows+7)) % count
		return fmt.Sprintf("box%d@d%d.example", box, box%7)
	}
	var text strings.Builder
	text.WriteString("a,b\n")
	for row := range count {
		fmt.Fprintf(&text, "%s,%s\n", emailOf(row, 0), emailOf(row, 1))
	}
	j := n.create(text.String(), Request{Format: Format{Columns: []string{"a", "b"}}})
	if j.Segments != 3 || j.Addresses+j.Duplicates != 2*count || j.Duplicates == 0 {
		t.Errorf("%+v", j)
	}
	n.untilDone(j.ID)
	wrong := 0
	lines := strings.Split(strings.TrimSpace(n.output(j.ID, Output{})), "\n")
	names := strings.Split(lines[0], ",")
	first, second := slices.Index(names, "rcpt_message (a)"), slices.Index(names, "rcpt_message (b)")
	for at, line := range lines[1:] {
		cells := strings.Split(line, ",")
		for column, message := range []string{cells[first], cells[second]} {
			if message != "Fine: "+emailOf(at, column) {
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d cells have the result of another", wrong)
	}
	for _, from := range []int64{0, segmentRows - 3, count - 5} {
		found, _, err := n.ResultsFrom(t.Context(), n.job(j.ID), Output{}, from, 5)
		check(t, err)
		for i, row := range found {
			for column, r := range row.Results {
				if email := emailOf(int(from)+i, column); r.Email != email || r.Message != "Fine: "+email {
					t.Errorf("row %d, column %d: %s, %s", row.Number, column, r.Email, r.Message)
				}
			}
		}
	}
}

// TestColumnsCountAsRows: a list with two columns of addresses may have half as
// many rows.
func TestColumnsCountAsRows(t *testing.T) {
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}),
		Config{Verifier: &hosts{}, Limits: Limits{Rows: 5}})
	text := "a,b\na@a.example,b@a.example\nc@a.example,d@a.example\n"
	f := Format{Columns: []string{"a", "b"}}
	n.create(text, Request{Format: f})
	_, err := n.Plan(t.Context(), n.receive(text+"e@a.example,f@a.example\n"), Request{Format: f})
	if !errors.Is(err, ErrTooLarge) || !strings.HasSuffix(err.Error(), "more than 2 rows with 2 columns of addresses") {
		t.Error(err)
	}
}

// TestEarlierJob: a list that an earlier version has stored is read.
func TestEarlierJob(t *testing.T) {
	n := alone(t, &hosts{})
	const format = `{"format":"CSV","delimiter":44,"column":"2"}`
	ctx := t.Context()
	j, err := n.store.BeginJob(ctx, n.node, rows.Job{
		Owner: "ada", Format: format, Created: time.Now(), Expires: time.Now().Add(time.Hour), Addresses: 1,
	}, 0, headOf(format).pack([]byte("home,work\nx@a.example,a@a.example\nx@a.example,A@a.example\n,\n")))
	check(t, err)
	segment := []byte("\x80\x18x@a.example,a@a.example\n\x0ba@a.example" + // the address comes again
		"\x01\x18x@a.example,A@a.example\n\x0bA@a.example\x00" + // as in row 0
		"\x03\x02,\n\x00") // an empty cell
	batch := rows.Batch{Addresses: 1, Data: packEntries(part{partBatch, j.ID, 0}, []entry{{email: "a@a.example"}})}
	check(t, n.store.AddSegment(ctx, j.ID, 0, 0, part{partRows, j.ID, 0}.pack(segment), []rows.Batch{batch}))
	_, err = n.store.StartJob(ctx, store.ByCommand("test"), j.ID, rows.JobTotals{Rows: 3, Duplicates: 1, Unusable: 1, Addresses: 1, Segments: 1}, nil)
	check(t, err)
	n.untilDone(j.ID)
	want := []string{"rcpt_result", "deliverable", "deliverable", "unknown"}
	if diff := cmp.Diff(want, column(n.output(j.ID, Output{}), 2)); diff != "" {
		t.Error(diff)
	}
}
