//go:build unix

package jobs

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// byColumn counts the rows of an output by their group, and the distinct
// addresses of rows that hold one.
func byColumn(t *testing.T, output string) map[string]rows.GroupCount {
	t.Helper()
	table, err := csv.NewReader(strings.NewReader(output)).ReadAll()
	check(t, err)
	group, email := slices.Index(table[0], "rcpt_group"), slices.Index(table[0], "rcpt_email")
	counts, seen := newGroupCounts().stored(), map[string]bool{}
	for _, row := range table[1:] {
		n := counts[row[group]]
		n.Rows++
		if address := strings.ToLower(row[email]); address != "" && !seen[address] {
			seen[address] = true
			n.Addresses++
		}
		counts[row[group]] = n
	}
	return counts
}

// mixed hosts have addresses of each group.
func mixed(answers *atomic.Bool) *hosts {
	return &hosts{answer: func(_ context.Context, email string, _ int) rcpt.Result {
		switch {
		case strings.HasPrefix(email, "dead"):
			r := fine(email)
			r.Verdict, r.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound
			return r
		case strings.HasPrefix(email, "grey") && !answers.Load():
			return greylisted(email)
		case strings.HasPrefix(email, "all"):
			r := fine(email)
			r.Verdict, r.Reason, r.Details = rcpt.VerdictAcceptAll, rcpt.ReasonCatchAll, &rcpt.Details{}
			return r
		}
		return fine(email)
	}}
}

// mixedList has some rows of each group in several segments, with repeats far
// apart.
func mixedList(n int) string {
	var text strings.Builder
	text.WriteString("id,email\n")
	for i := range n {
		cell := []string{
			fmt.Sprintf("fine%d@a.example", i%70), fmt.Sprintf("dead%d@b.example", i), fmt.Sprintf("all%d@c.example", i%11),
			fmt.Sprintf("grey%d@d.example", i%90), "", "x@a.example - old", "x@a.example y@a.example", fmt.Sprintf("fine%d@A.example", i%70),
		}[i%8]
		fmt.Fprintf(&text, "%d,%s\n", i, cell)
	}
	return text.String()
}

// TestGroups: the counts of a job are those of its output, before and after it
// is verified again, and after that is cancelled.
func TestGroups(t *testing.T) {
	var answers atomic.Bool
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: mixed(&answers), RetryWindow: -1})
	j := n.create(mixedList(3*segmentRows), Request{Owner: "acme", Key: "key"})
	if g := j.Groups; len(g) != 5 || g["none"].Rows == 0 || g["risky"] != (rows.GroupCount{Rows: 2 * g["none"].Rows}) {
		t.Errorf("before anything is asked: %v", g)
	}
	expect := func(when string) {
		t.Helper()
		j = n.job(j.ID)
		if want := byColumn(t, n.output(j.ID, Output{})); !maps.Equal(j.Groups, want) {
			t.Errorf("%s: %v, want %v", when, j.Groups, want)
		}
	}
	j = n.untilDone(j.ID)
	expect("done")
	if retry := j.Groups["retry"]; retry.Rows <= retry.Addresses || retry.Addresses == 0 || j.UndeliverableShare() == 0 {
		t.Errorf("%v, %v", j.Groups, j.UndeliverableShare())
	}
	_, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	_, err = n.Change(t.Context(), rows.ByCommand("test"), j.ID, nil, Cancel)
	check(t, err)
	j = n.untilDone(j.ID)
	expect("cancelled")
	answers.Store(true)
	_, err = n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	j = n.untilDone(j.ID)
	expect("verified again")
	if retry := j.Groups["retry"]; retry.Rows != 0 {
		t.Errorf("%v", j.Groups)
	}
	j = n.untilDone(n.create(mixedList(3*segmentRows), Request{Owner: "acme", Key: "key", Since: Since{List: j.ID}}).ID)
	if expect("with results of an earlier list"); j.Reused == 0 {
		t.Error("none is reused")
	}
}

// TestOnce: each address is written once, and a row without one always.
func TestOnce(t *testing.T) {
	var answers atomic.Bool
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: mixed(&answers), RetryWindow: -1})
	j := n.untilDone(n.create(mixedList(segmentRows+100), Request{Owner: "acme", Key: "key"}).ID)
	all, once := byColumn(t, n.output(j.ID, Output{})), byColumn(t, n.output(j.ID, Output{Once: OnceAddress}))
	for group, n := range all {
		want := n.Addresses
		if group == "none" {
			want = n.Rows
		}
		if group == "risky" {
			want = n.Addresses + 2*all["none"].Rows // cells with several addresses, and with words beside one
		}
		if once[group].Rows < want-2 || once[group].Rows > want+2 {
			t.Errorf("%s: %d rows, want about %d", group, once[group].Rows, want)
		}
	}
	// A row of several columns is written if one of its addresses was not.
	j = n.untilDone(n.create("a,b\nfine1@a.example,dead1@b.example\ndead1@b.example,\nfine1@a.example,fine2@a.example\nfine2@a.example,\n",
		Request{Owner: "acme", Key: "key", Format: Format{Columns: []string{"a", "b"}}}).ID)
	for want, o := range map[string]Output{
		"a fine1@a.example dead1@b.example fine1@a.example fine2@a.example": {},
		"a fine1@a.example fine1@a.example":                                 {Once: OnceAddress},
		"a dead1@b.example":                                                 {Once: OnceAddress, Groups: []bulk.Group{bulk.GroupBad}},
	} {
		if got := strings.Join(column(n.output(j.ID, o), 0), " "); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// TestOncePerMailbox: each mailbox is written once, the first of its spellings
// among the rows that are asked for; also over segments, in a list that is not
// done, and from a cell that repeats an address.
func TestOncePerMailbox(t *testing.T) {
	const spellings = "a,b\nFine.One@gmail.com,\nfineone+x@googlemail.com,\ndead@me.com,\nfine@icloud.com,\nfine@yahoo.com,\nfine-x@yahoo.com,\n" +
		"fineone+x@googlemail.com,dead@me.com\nnone,\ndead@icloud.com,fine@mac.com\nFINE@yahoo.com,\nfine+x@acme.example,\nfine@acme.example,\n"
	var answers atomic.Bool
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: mixed(&answers), RetryWindow: -1})
	create := func(list string) rows.Job {
		return n.untilDone(n.create(list, Request{Owner: "acme", Key: "key", Format: Format{Columns: []string{"a", "b"}}}).ID)
	}
	j := create(spellings)
	for want, o := range map[string]Output{
		"a Fine.One@gmail.com dead@me.com fine@icloud.com fine@yahoo.com fine-x@yahoo.com none fine+x@acme.example fine@acme.example":                                                         {Once: OnceCanonical},
		"a Fine.One@gmail.com fineone+x@googlemail.com dead@me.com fine@icloud.com fine@yahoo.com fine-x@yahoo.com none dead@icloud.com FINE@yahoo.com fine+x@acme.example fine@acme.example": {Once: OnceAddress},
		"a dead@me.com": {Once: OnceCanonical, Groups: []bulk.Group{bulk.GroupBad}},
	} {
		if got := strings.Join(column(n.output(j.ID, o), 0), " "); got != want {
			t.Errorf("%+v:\n%s, want\n%s", o, got, want)
		}
	}
	far := create("a,b\nFine.One@gmail.com,\n" + strings.Repeat("x,\n", segmentRows) + "fineone+x@googlemail.com,\nfinetwo@gmail.com,\n")
	got := column(n.output(far.ID, Output{Once: OnceCanonical, Groups: []bulk.Group{bulk.GroupSafe}}), 0)
	if want := "a Fine.One@gmail.com x finetwo@gmail.com"; far.Segments < 2 || strings.Join(got, " ") != want {
		t.Errorf("%d segments: %s, want %s", far.Segments, got, want)
	}
}

// TestGroupsOfColumns: the counts of rows with several addresses are those of
// the rows that are written for each group, also after the list was verified
// again.
func TestGroupsOfColumns(t *testing.T) {
	var answers atomic.Bool
	n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: mixed(&answers), RetryWindow: -1})
	text := "a,b\nfine1@a.example,dead1@b.example\n,dead1@b.example\nfine1@a.example,fine2@a.example\n,\n" +
		"x@a.example y@a.example,fine1@a.example\n,fine2@a.example\n" +
		"dead1@b.example,fine1@a.example\ndead2@b.example,grey1@d.example\ngrey2@d.example,dead2@b.example\n"
	j := n.untilDone(n.create(text, Request{Owner: "acme", Key: "key", Format: Format{Columns: []string{"a", "b"}}}).ID)
	agree := func(want map[string]rows.GroupCount) {
		t.Helper()
		j, err := n.Job(t.Context(), j.ID, nil)
		check(t, err)
		if !maps.Equal(j.Groups, want) {
			t.Errorf("%v, want %v", j.Groups, want)
		}
		for _, group := range bulk.Groups() {
			written := strings.Count(n.output(j.ID, Output{Groups: []bulk.Group{group}}), "\n") - 1
			if of := j.Groups[string(group)].Rows; int64(written) != of {
				t.Errorf("%s: %d rows are written, %d are counted", group, written, of)
			}
		}
	}
	agree(map[string]rows.GroupCount{
		"safe": {Rows: 3, Addresses: 2}, "bad": {Rows: 1, Addresses: 2}, "none": {Rows: 1}, "risky": {Rows: 3},
		"retry": {Rows: 1, Addresses: 2},
	})
	answers.Store(true)
	_, err := n.Again(t.Context(), rows.ByCommand("test"), j.ID, nil, nil)
	check(t, err)
	n.untilDone(j.ID)
	agree(map[string]rows.GroupCount{
		"safe": {Rows: 4, Addresses: 4}, "bad": {Rows: 1, Addresses: 2}, "none": {Rows: 1}, "risky": {Rows: 3}, "retry": {},
	})
}
