package list

import "fmt"

// Notices say what was guessed of a list that a person may see otherwise, each
// in one line.
func (r *Reader) Notices() []string {
	var all []string
	for _, sheet := range r.Sheets() {
		if others := otherSheets(r.Sheets()); sheet.Read && others != "" {
			all = append(all, fmt.Sprintf("Reading sheet %s; there are others, use --sheet: %s",
				shownCell(sheet.Name), others))
		}
	}
	d := &r.description
	if _, line := namedDelimiter([]byte(d.Head)); d.HeaderRow > 0 && line != d.Head {
		all = append(all, fmt.Sprintf("Row %d names the columns; what is above it stays as it is", d.HeaderRow))
	}
	return all
}
