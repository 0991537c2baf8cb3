package dashboard

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// pager leads from some rows of a list to others. Its links name a row, because
// to count the rows before a page takes long.
type pager struct {
	From, To    int64  // the rows of the first and the last line, from 1
	First, Back string // queries; empty: these rows are the first
	Next, Last  string // queries; empty: these rows are the last
}

// resultsPage is how many results a page has.
const resultsPage = 25

// browse finds the results that are shown.
func (d *Dashboard) browse(v *visit, view *listView) error {
	query := v.r.URL.Query()
	view.Search = strings.TrimSpace(query.Get("q"))
	if len(view.Search) > maxAddress {
		view.Search = ""
	}
	o := jobs.Output{Search: view.Search}
	if result := query.Get("result"); slices.Contains(verdicts, result) {
		view.Result, o.Results = result, []engine.Verdict{engine.Verdict(result)}
	}
	found, before, after, err := d.rowsOf(v.r.Context(), view.Job, o, rowOf(query, "from"), rowOf(query, "before"))
	if err != nil {
		return err
	}
	for _, row := range found {
		for _, r := range row.Results {
			view.Rows = append(view.Rows, resultRow{
				Email: r.Email, Result: string(r.Verdict), Tone: toneOf(string(r.Verdict)),
				Reason: reasonName(r.Reason), Message: r.Message, Suggestion: r.Suggestion,
			})
		}
	}
	link := func(name string, row int64) string {
		values := url.Values{name: {strconv.FormatInt(row, 10)}}
		for name, value := range map[string]string{"q": view.Search, "result": view.Result} {
			if value != "" {
				values.Set(name, value)
			}
		}
		return "/lists/" + view.ID + "?" + values.Encode() + "#rows"
	}
	if len(found) > 0 {
		view.From, view.To = found[0].Number+1, found[len(found)-1].Number+1
	}
	if before && len(found) > 0 {
		view.First, view.Back = link("from", 1), link("before", view.From)
	}
	if after && len(found) > 0 {
		view.Next, view.Last = link("from", view.To+1), link("before", view.Job.Rows+1)
	}
	return nil
}

// rowOf reads the number of a row; 0: not given.
func rowOf(query url.Values, name string) int64 {
	number, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return 0
	}
	return max(0, number)
}

// rowsOf returns the results before a row or, if that is 0, from a row on, and
// whether there are others on either side. Where there are few before a row, it
// returns the first ones.
func (d *Dashboard) rowsOf(
	ctx context.Context, j store.Job, o jobs.Output, from, before int64,
) (found []jobs.Row, earlier, later bool, err error) {
	if before > 0 {
		found, earlier, err = d.config.Lists.ResultsBefore(ctx, j, o, before-1, resultsPage)
		if err != nil || earlier || before > j.Rows {
			return found, earlier, before <= j.Rows, err
		}
	}
	first := max(0, from-1)
	found, later, err = d.config.Lists.ResultsFrom(ctx, j, o, first, resultsPage)
	return found, first > 0, later, err
}
