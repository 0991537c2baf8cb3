package main

import (
	"fmt"
	"io"
	"strings"
)

// maxMerged is how many merged rows are named.
const maxMerged = 5

// addMerged notes lines that look like several rows which a stray quote has made one.
func (n *inputNotes) addMerged(first, last int) {
	n.merged++
	if len(n.mergedRows) < maxMerged {
		n.mergedRows = append(n.mergedRows, fmt.Sprintf("%d–%d", first, last))
	}
}

// tellColumns says which columns are read, where there is a choice.
func tellColumns(w io.Writer, in *listInput) {
	read, others := in.Columns()
	if len(read) == 0 {
		return
	}
	text := "Reading column " + read[0]
	if len(read) > 1 {
		text = "Reading columns " + strings.Join(read, ", ")
	}
	switch len(others) {
	case 0:
	case 1:
		text += "; 1 more column holds addresses, use --column: " + others[0]
	default:
		text += fmt.Sprintf("; %d more columns hold addresses, use --column: %s", len(others), strings.Join(others, ", "))
	}
	fmt.Fprintln(w, printable(text))
}

// tellNotes says what came up while a list was read.
func (c *bulkCommand) tellNotes(w io.Writer, n inputNotes, former *formerRows) {
	name := printable(c.inputName())
	if n.foreign > 0 {
		fmt.Fprintf(w, "rcpt: %s: not UTF-8 from line %d on; rows that are not were read as Windows-1252\n", name, n.foreign)
	}
	if n.merged > 0 {
		more := ""
		if n.merged > len(n.mergedRows) {
			more = fmt.Sprintf(" and %d more", n.merged-len(n.mergedRows))
		}
		fmt.Fprintf(w, "rcpt: %s: rows %s%s look merged by a stray quote: one address of each was verified; mend the quotes and run it again\n",
			name, strings.Join(n.mergedRows, ", "), more)
	}
	if c.Dedupe {
		fmt.Fprintf(w, "Repeated addresses: %d rows were left out.\n", n.repeated)
	}
	if former != nil {
		fmt.Fprintf(w, "Settled before: %d results were taken from %s.\n", former.taken, printable(c.RetryUnknown))
	}
}
