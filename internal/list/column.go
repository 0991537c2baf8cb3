package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// chooseColumns finds the columns in the first rows and chooses those that are
// read: the wanted ones, or else the most likely one.
func (d *Description) chooseColumns(rows [][]string, wanted []string) error {
	if len(rows) == 0 {
		d.Columns, d.Read = make([]Column, 1), []Choice{{0, "column_1", Only}}
		return nil
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if d.Header != "" {
		width = len(rows[0])
	}
	d.Columns = make([]Column, width)
	if d.Header != "" {
		for i, name := range rows[0] {
			d.Columns[i].Name = name
		}
		for _, i := range earlierColumns(rows[0]) {
			d.Columns[i].Earlier = true
		}
		rows = rows[1:]
	} else {
		d.markUnnamed(rows)
	}
	d.tally(rows)
	if len(wanted) == 0 {
		wanted = d.earlierRead()
	}
	if err := d.choose(wanted, rows); err != nil {
		return err
	}
	if len(d.earlier()) > 0 {
		d.Earlier = Ours
	}
	d.findService(rows)
	if slices.ContainsFunc(d.Read, func(c Choice) bool { return d.Columns[c.Column].Earlier }) {
		for i := range d.Columns { // they are to be read
			d.Columns[i].Earlier = false
		}
	}
	return d.checkCells(rows)
}

func (d *Description) choose(wanted []string, rows [][]string) error {
	if len(wanted) == 0 {
		column, why, err := d.guess(rows)
		if err == nil {
			d.read(column, why)
		}
		return err
	}
	for _, name := range wanted {
		column, err := d.wanted(name)
		if err != nil {
			return err
		}
		if d.IsRead(column) {
			return choiceError(columnChoice, "column %s is given twice", d.nameOf(column))
		}
		d.read(column, Given)
	}
	return nil
}

// read chooses a column. Its name is that of its results, and of its field in
// JSON.
func (d *Description) read(column int, why Why) {
	name := strings.TrimSpace(d.Columns[column].Name)
	if name == "" {
		name = "column_" + strconv.Itoa(column+1)
	}
	d.Read = append(d.Read, Choice{column, name, why})
}

// checkCells fails for a column in which no cell is an address, whatever its
// name, so that not every name or hash of a list becomes undeliverable.
func (d *Description) checkCells(rows [][]string) error {
	for _, choice := range d.Read {
		i := choice.Column
		var cells []string
		for _, row := range rows {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		if f := flawOf(cells); f != nil {
			return f.errorOf("column "+d.nameOf(i), "cells", d.list())
		}
	}
	return nil
}

// maxQuoted is how many characters of a cell an error quotes.
const maxQuoted = 40

func shownCell(cell string) string {
	if runes := []rune(cell); len(runes) > maxQuoted {
		cell = string(runes[:maxQuoted]) + "…"
	}
	return strconv.Quote(cell)
}

// wanted finds a column by its exact name, its plain name or its number.
func (d *Description) wanted(column string) (int, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, sameName} {
		if found := d.columns(func(i int) bool { return same(d.Columns[i].Name, column) }); len(found) == 1 {
			return found[0], nil
		} else if len(found) > 1 {
			return 0, choiceError(columnChoice,
				"more than one column is named %q: write --column NUMBER; %s", column, d.list())
		}
	}
	if number, err := strconv.Atoi(column); err == nil && number >= 1 && number <= len(d.Columns) {
		return number - 1, nil
	}
	return 0, choiceError(columnChoice, "there is no column %q; %s", column, d.list())
}

// sameName reports whether names differ only in case and blanks around them.
func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// guess returns the column with a known name that holds most addresses, or else
// the one that holds most, by a word in its name where others hold as many. It
// fails if nothing tells which of several it is.
func (d *Description) guess(rows [][]string) (column int, why Why, err error) {
	if len(d.Columns) == 1 {
		return 0, Only, nil
	}
	most := 0
	for _, column := range d.Columns {
		most = max(most, column.Held)
	}
	known := d.columns(func(i int) bool {
		return isAddressName(d.Columns[i].Name) && (d.Columns[i].Held > 0 || most == 0)
	})
	holding := d.columns(func(i int) bool { return d.Columns[i].Held > most/2 && !d.Columns[i].Repeats })
	worded := d.columns(func(i int) bool {
		return hasAddressWord(d.Columns[i].Name) && slices.Contains(holding, i)
	})
	switch {
	case len(known) > 0:
		return d.fullest(known), Named, nil
	case len(holding) == 1:
		return holding[0], Holding, nil
	case len(worded) > 0:
		return d.fullest(worded), Named, nil
	case most == 0:
		return 0, "", formatError("%s: write --column NAME or NUMBER, "+
			"or --header-row N if another row has the names", d.found(rows))
	}
	return 0, "", formatError("more than one column may hold the addresses: write --column NAME or NUMBER; %s",
		d.list())
}

// fullest returns the first of some columns that hold most addresses.
func (d *Description) fullest(columns []int) int {
	return slices.MaxFunc(columns, func(a, b int) int { return d.Columns[a].Held - d.Columns[b].Held })
}

// maxListed bounds how many columns an error lists.
const maxListed = 50

// list lists the columns for an error.
func (d *Description) list() string {
	if d.Header == "" {
		return fmt.Sprintf("the file has no header and %d columns", len(d.Columns))
	}
	return "the columns are " + listed(d.columnNames())
}

// found says that no column holds addresses, and which there are: by their
// names, or else by the fullest of the first rows, which may be names.
func (d *Description) found(rows [][]string) string {
	if d.Header != "" {
		return "found the columns " + listed(d.columnNames()) + "; none holds addresses"
	}
	at, most := 0, 0
	for i, row := range rows {
		if filled := (firstRow{cells: row}).filled(); filled > most {
			at, most = i, filled
		}
	}
	if slices.ContainsFunc(rows[at], func(cell string) bool { return cell != "" && isNumber(cell) }) {
		return "no column holds addresses; the fullest of the first rows is " + listed(rows[at])
	}
	return "found the columns " + listed(rows[at]) + "; none holds addresses"
}

func listed(cells []string) string {
	var shown []string
	for i, cell := range cells[:min(len(cells), maxListed)] {
		shown = append(shown, fmt.Sprintf("%d %s", i+1, shownCell(cell)))
	}
	return strings.Join(shown, ", ")
}

// nameOf returns the number of a column, and its name if it has one.
func (d *Description) nameOf(i int) string {
	if name := d.Columns[i].Name; name != "" {
		return fmt.Sprintf("%d %s", i+1, shownCell(name))
	}
	return strconv.Itoa(i + 1)
}
