package dashboard

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/bulk"
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

// resultRow is a row of a list with its results, as a line of a table.
type resultRow struct {
	groupText             // of the row
	Cells     []jobs.Cell // of the list, besides those that are read
	Results   []rowResult
}

// rowResult is the result of an address of a row.
type rowResult struct {
	jobs.CellResult
	Reason string
	Note   string // what the reason means and what to do
	Traits []trait
}

// ownCells is how many of the other cells of a row are shown, so that people
// know whose address it is.
const ownCells = 3

func resultRowOf(row jobs.Row) resultRow {
	shown := resultRow{groupText: groupTexts[row.Group]}
	read := map[string]bool{}
	for _, r := range row.Results {
		read[r.Column] = true
		if r.Email == "" && len(row.Results) > 1 { // the others say enough
			continue
		}
		one := rowResult{CellResult: r, Reason: reasonName(r.Result.Reason), Note: r.Message}
		if r.Details != nil {
			r.Result.AcceptAll = false // the reason says so
			one.Traits = flagsOf(r.Result)
		}
		shown.Results = append(shown.Results, one)
	}
	for _, cell := range row.Cells {
		if cell.Value = strings.TrimSpace(cell.Value); cell.Value != "" && !read[cell.Name] && len(shown.Cells) < ownCells {
			shown.Cells = append(shown.Cells, cell)
		}
	}
	return shown
}

// chipsOf are the links to the rows of each group, with the same search.
func chipsOf(view *listView) []groupCard {
	chips := groupsOf(view.Job)
	all := groupCard{groupText: groupText{Name: "All"}, Whole: chips[0].Whole}
	for _, group := range chips {
		all.Rows += group.Rows
	}
	chips = append([]groupCard{all}, chips...)
	for i, chip := range chips {
		values := url.Values{}
		if chip.Group != "" {
			values.Set("group", string(chip.Group))
		}
		if view.Search != "" {
			values.Set("q", view.Search)
		}
		chips[i].Wanted, chips[i].Link = chip.Group == view.Group, "/lists/"+view.ID+"?"+values.Encode()+"#rows"
	}
	return chips
}

// browse finds the results that are shown.
func (d *Dashboard) browse(v *visit, view *listView) error {
	query := v.r.URL.Query()
	view.Search = strings.TrimSpace(query.Get("q"))
	if len(view.Search) > maxAddress {
		view.Search = ""
	}
	o := jobs.Output{Search: view.Search}
	if group := bulk.Group(query.Get("group")); groupTexts[group].Name != "" {
		view.Group, o.Groups = group, []bulk.Group{group}
	}
	view.Chips = chipsOf(view)
	found, before, after, err := d.rowsOf(v.r.Context(), view.Job, o, rowOf(query, "from"), rowOf(query, "before"))
	if err != nil {
		return err
	}
	for _, row := range found {
		view.Rows = append(view.Rows, resultRowOf(row))
	}
	link := func(name string, row int64) string {
		values := url.Values{name: {strconv.FormatInt(row, 10)}}
		for name, value := range map[string]string{"q": view.Search, "group": string(view.Group)} {
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
