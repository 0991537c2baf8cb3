//go:build unix

package jobs

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/store/rows"
	"github.com/rcpt/rcpt/internal/tabular"
)

// someBad refuses the mailboxes that begin with "no".
func someBad(_ context.Context, email string, _ int) engine.Result {
	r := fine(email)
	if strings.HasPrefix(email, "no") {
		r.Verdict, r.Reason, r.Details.Reason = engine.VerdictUndeliverable, engine.ReasonMailboxNotFound, engine.ReasonMailboxNotFound
	}
	return r
}

// TestResults: results are found by what they are and by a part of the address,
// and in pages.
func TestResults(t *testing.T) {
	n := alone(t, &hosts{answer: someBad})
	j := n.create("email\na@a.example\nno@a.example\nAnn@b.example\na@a.example\nnone@b.example\n", Request{})
	n.untilDone(j.ID)
	for _, c := range []struct {
		o           Output
		skip, limit int
		want        string
		more        bool
	}{
		{Output{}, 0, 9, "a@a.example no@a.example Ann@b.example a@a.example none@b.example", false},
		{Output{}, 1, 2, "no@a.example Ann@b.example", true},
		{Output{}, 3, 2, "a@a.example none@b.example", false},
		{Output{}, 5, 2, "", false},
		{Output{Search: "AN"}, 0, 9, "Ann@b.example", false},
		{Output{Search: "b.example", Results: []engine.Verdict{engine.VerdictUndeliverable}}, 0, 9, "none@b.example", false},
		{Output{Actions: []bulk.Action{bulk.ActionRemove}}, 0, 9, "no@a.example none@b.example", false},
	} {
		found, more, err := n.Results(t.Context(), n.job(j.ID), c.o, c.skip, c.limit)
		check(t, err)
		var emails []string
		for _, r := range found {
			emails = append(emails, r.Email)
		}
		if got := strings.Join(emails, " "); got != c.want || more != c.more {
			t.Errorf("%+v from %d: %q, %v; want %q, %v", c.o, c.skip, got, more, c.want, c.more)
		}
	}
}

// sheet is a list as a spreadsheet.
func sheet(t *testing.T, list string) string {
	t.Helper()
	r, err := tabular.NewReader(strings.NewReader(list), tabular.Options{})
	check(t, err)
	w, err := tabular.NewWriter(r, tabular.Output{Format: tabular.XLSX})
	check(t, err)
	var out bytes.Buffer
	p, err := w.Pack(&out, tabular.Plain)
	check(t, err)
	for row, err := r.Next(); err == nil; row, err = r.Next() {
		_, err := p.Write(w.Append(nil, row.Raw, engine.Result{}))
		check(t, err)
	}
	check(t, p.Close())
	return out.String()
}

// TestPackedLists: spreadsheets and compressed lists are verified, also ones
// that are larger than what is kept of their beginning.
func TestPackedLists(t *testing.T) {
	const many = 8000
	var list strings.Builder
	list.WriteString("id,email\n")
	for i := range many {
		fmt.Fprintf(&list, "x%x,a%d@d%d.example\n", sha256.Sum256([]byte{byte(i), byte(i >> 8)}), i, i%7)
	}
	if list.Len() < headOctets {
		t.Fatalf("the list has only %d octets", list.Len())
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(list.String()))
	check(t, err)
	check(t, w.Close())
	n := alone(t, &hosts{answer: someBad})
	for name, octets := range map[string]string{"spreadsheet": sheet(t, list.String()), "gzip": zipped.String()} {
		n.untilDone(n.create(octets, Request{}).ID)
		jobs, err := n.Jobs(t.Context(), rows.JobQuery{Limit: 1})
		check(t, err)
		out := n.output(jobs[0].ID, Output{})
		if first := strings.SplitN(out, ",deliverable,", 2)[0]; !strings.HasSuffix(first, ",a0@d0.example") || strings.Count(out, "\n") != many+1 {
			t.Errorf("%s: %d rows, %.200q", name, strings.Count(out, "\n"), out)
		}
		if again := n.output(jobs[0].ID, Output{Format: tabular.XLSX}); !strings.HasPrefix(again, "PK") {
			t.Errorf("%s: %.20q", name, again)
		}
	}
}

// TestLook: what is found in a list before it is started.
func TestLook(t *testing.T) {
	n := alone(t, &hosts{})
	for _, c := range []struct {
		list   string
		column string
		want   Look
	}{
		{"n,email\n1,a@a.example\n2,b@a.example\n3,c@a.example\n", "", Look{Names: []string{"n", "email"}, Chosen: 1, Choices: true, Rows: [][]string{{"1", "a@a.example"}, {"2", "b@a.example"}}}},
		{"home,work\na@a.example,b@a.example\n", "", Look{Names: []string{"home", "work"}, Chosen: -1, Choices: true, Rows: [][]string{{"a@a.example", "b@a.example"}}}},
		{"home,work\na@a.example,b@a.example\n", "2", Look{Names: []string{"home", "work"}, Chosen: 1, Choices: true, Rows: [][]string{{"a@a.example", "b@a.example"}}}},
		{"a@a.example\n", "", Look{Names: []string{"email"}, Rows: [][]string{{"a@a.example"}}}},
	} {
		got, err := n.Look(n.receive(c.list), Format{Column: c.column}, 2)
		check(t, err)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.list, diff)
		}
	}
	if _, err := n.Look(n.receive("Jane\nJoe\nJim\n"), Format{}, 2); err == nil {
		t.Error("names are a list")
	}
}
