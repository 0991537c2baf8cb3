package list

import (
	"fmt"
	"slices"
)

// Notices say what was guessed of a list that a person may see otherwise, each
// in one line.
func (r *Reader) Notices() []string {
	var all []string
	sheets := r.Sheets()
	if read := slices.IndexFunc(sheets, func(s Sheet) bool { return s.Read }); read >= 0 {
		if others := otherSheets(sheets); others != "" {
			all = append(all, fmt.Sprintf("Reading sheet %s; there are others, use --sheet: %s",
				shownCell(sheets[read].Name), others))
		}
	}
	d := &r.description
	if d.EncodingWhy == Guessed {
		what := "The list is"
		if d.Mixed {
			what = "Rows that are not UTF-8 are"
		}
		all = append(all, fmt.Sprintf("%s read as %s (guessed); if that is wrong: "+
			"--encoding NAME, or save the list as CSV UTF-8", what, d.Encoding))
	}
	if _, line := namedDelimiter([]byte(d.Head)); line != d.Head {
		what := fmt.Sprintf("Row %d is the first of the list", d.Before+1)
		if d.HeaderRow > 0 {
			what = fmt.Sprintf("Row %d names the columns", d.HeaderRow)
		}
		all = append(all, what+"; what is above it stays as it is")
	}
	switch {
	case d.OneLine:
		all = append(all, fmt.Sprintf("The list is one line: each of its %d addresses is a row", d.Sampled))
	case d.Whole && d.Sampled == 0 && d.Header != "":
		all = append(all, "The list names its columns and has no rows")
	case d.Whole && d.Sampled == 0:
		all = append(all, "The list is empty")
	}
	if d.Shifted {
		all = append(all, "The row with the names of the columns has one cell less than the others: "+
			"the first column has no name")
	}
	return append(all, d.guessedNotices()...)
}

// guessedNotices say what the column is not that has the name for addresses,
// and which field of JSON is read in its place.
func (d *Description) guessedNotices() (all []string) {
	read := d.Read[0]
	if read.Column < 0 || read.Why == Given || d.Columns[read.Column].Held == 0 {
		return nil
	}
	for _, i := range d.columns(func(i int) bool { return isAddressName(d.Columns[i].Name) }) {
		if d.Columns[i].Held == 0 {
			all = append(all, fmt.Sprintf("Column %s holds no addresses in %s", d.nameOf(i), d.sampled()))
		}
	}
	if isJSON := d.Format == JSON || d.Format == JSONLines; isJSON && read.Name != addressField {
		all = append(all, fmt.Sprintf("Reading the field %s", shownCell(read.Name)))
	}
	return all
}

// sampled names the rows by which the columns are judged.
func (d *Description) sampled() string {
	switch {
	case d.Whole && d.Sampled == 1:
		return "1 row"
	case d.Whole && d.Sampled < sampleRows-1:
		return fmt.Sprintf("%d rows", d.Sampled)
	}
	return fmt.Sprintf("the first %d rows", d.Sampled)
}
