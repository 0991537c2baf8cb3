package jobs

import (
	"maps"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// groupCounts count rows and distinct addresses by their group. Where several
// columns are read, a row counts with its first cell that holds something,
// until the job has ended: see [counted].
type groupCounts map[bulk.Group]rows.GroupCount

// newGroupCounts has every group.
func newGroupCounts() groupCounts {
	counts := make(groupCounts)
	for _, group := range bulk.Groups() {
		counts[group] = rows.GroupCount{}
	}
	return counts
}

// add counts a result: of so many rows, and of so many addresses.
func (g groupCounts) add(r rcpt.Result, of, addresses int64) {
	group := bulk.GroupFor(r)
	n := g[group]
	n.Rows += of
	n.Addresses += addresses
	g[group] = n
}

// addRow counts a row whose group is known without asking.
func (g groupCounts) addRow(cells []foundCell) {
	at := deciding(cells)
	if r, without := cells[max(0, at)].without(); without {
		g.add(r, 1, 0)
	}
}

// stored is g as the store has it.
func (g groupCounts) stored() map[string]rows.GroupCount {
	all := make(map[string]rows.GroupCount, len(g))
	for group, n := range maps.All(g) {
		all[string(group)] = n
	}
	return all
}

// deciding returns the cell of a row that the row is counted with; -1: all are
// empty.
func deciding(cells []foundCell) int {
	for i, c := range cells {
		if c.kind != kindEmpty {
			return i
		}
	}
	return -1
}
