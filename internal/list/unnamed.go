package list

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// fits says what the added columns can hold, by their names; others can hold
// anything.
var fits = map[string]func(cell string) bool{
	resultColumn: oneOf(rcpt.VerdictDeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUndeliverable,
		rcpt.VerdictUnknown, "several", "empty"), // the last two are of earlier versions
	"rcpt_reason":     isReason,
	"rcpt_accept_all": oneOf("0", "1"),
	"rcpt_role":       oneOf("0", "1"),
	"rcpt_free_email": oneOf("0", "1"),
	"rcpt_disposable": oneOf("0", "1"),
	"rcpt_spamtrap":   oneOf("0", "1"),
	"rcpt_action":     oneOf(rcpt.ActionSend, rcpt.ActionReview, rcpt.ActionRemove, rcpt.ActionRetry, rcpt.ActionNone),
	"rcpt_group":      oneOf(bulk.Groups()...),
	checkedColumn:     isCheckedAt,
	"rcpt_details":    func(cell string) bool { return cell == "" || strings.HasPrefix(cell, "{") },
}

func oneOf[T ~string](words ...T) func(string) bool {
	return func(cell string) bool { return slices.Contains(words, T(cell)) }
}

func isReason(cell string) bool {
	return strings.Trim(cell, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func isCheckedAt(cell string) bool {
	_, err := time.Parse(time.RFC3339, cell)
	return cell == "" || err == nil
}

// markUnnamed finds the columns of an earlier run in a list without a
// header, by what they hold, and gives them their names. Those of several
// address columns are numbered.
func (d *Description) markUnnamed(rows [][]string) {
	for first := 1; first < len(d.Columns); first++ {
		var runs [][]string
		for at := first; ; {
			names := ourNames(rows, at)
			if names == nil {
				break
			}
			runs = append(runs, names)
			at += len(names)
		}
		for number, names := range runs {
			for _, name := range names {
				if len(runs) > 1 {
					name += suffixFor(strconv.Itoa(number + 1))
				}
				d.Columns[first] = Column{Name: name, Earlier: true}
				first++
			}
		}
		if len(runs) > 0 {
			return
		}
	}
}

// ourNames returns the names of the columns that an earlier run added from a
// column on, or nil if these are others. The columns up to the message are in
// each output; later ones may be missing.
func ourNames(rows [][]string, at int) (names []string) {
	needed := true
	for _, c := range columns(Output{Details: true, CheckedAt: true}) {
		fit := fits[c.name]
		ours := len(rows) > 0 && !slices.ContainsFunc(rows, func(row []string) bool {
			return at+len(names) >= len(row) || fit != nil && !fit(row[at+len(names)])
		})
		switch {
		case ours:
			names = append(names, c.name)
		case needed:
			return nil
		}
		needed = needed && c.name != "rcpt_message"
	}
	return names
}

// earlierRead returns the columns that an earlier run read, if there were
// several.
func (d *Description) earlierRead() (read []string) {
	for _, i := range d.earlier() {
		name, of, _ := ourName(strings.TrimSpace(d.Columns[i].Name))
		column, found := strings.CutPrefix(of, " (")
		if name == resultColumn && found && d.Header != "" {
			read = append(read, strings.TrimSuffix(column, ")"))
		}
	}
	if len(read) < 2 {
		return nil
	}
	return read
}
