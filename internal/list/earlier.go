package list

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
)

// ourPrefix begins the names of the columns that a [Writer] adds.
const ourPrefix = "rcpt_"

// Ours is what [Description.Earlier] is for the results of an earlier run.
const Ours = "rcpt"

// ourName splits the name of a column that a Writer added: "rcpt_result (Email
// 2)" and "rcpt_result_2" are "rcpt_result" with the suffixes " (Email 2)" and
// "_2".
func ourName(header string) (name, suffix string, ours bool) {
	name = header
	if open := strings.Index(header, " ("); open >= 0 && strings.HasSuffix(header, ")") {
		name, suffix = header[:open], header[open:]
	} else if last := strings.LastIndexByte(header, '_'); last >= 0 {
		if _, err := strconv.ParseUint(header[last+1:], 10, 16); err == nil {
			name, suffix = header[:last], header[last:]
		}
	}
	all := columns(Output{Details: true, CheckedAt: true})
	return name, suffix, slices.ContainsFunc(all, func(c column) bool { return c.name == name })
}

// earlierColumns finds the columns of an earlier run in a header. They are ours
// if all names with our prefix are known and the result is among them: a list
// may have a column with our prefix by chance.
func earlierColumns(header []string) []int {
	var found []int
	hasResult := false
	for i, cell := range header {
		cell = strings.TrimSpace(cell)
		if !strings.HasPrefix(cell, ourPrefix) || cell == otherColumn {
			continue
		}
		name, _, ours := ourName(cell)
		if !ours {
			return nil
		}
		hasResult = hasResult || name == resultColumn
		found = append(found, i)
	}
	if !hasResult {
		return nil
	}
	return found
}

// suffixFor is the end of the names of the result columns of one of several
// address columns.
func suffixFor(column string) string { return " (" + column + ")" }

// earlierResult makes a result from the cells of an earlier run, by the names
// of their columns.
func earlierResult(cells map[string]string) *rcpt.Result {
	if cells[resultColumn] == "" {
		return nil
	}
	r := &rcpt.Result{
		Message:   plainCell(cells["rcpt_message"]),
		AcceptAll: cells["rcpt_accept_all"] == "1", Role: cells["rcpt_role"] == "1",
		Free:       cells["rcpt_free_email"] == "1",
		Disposable: cells["rcpt_disposable"] == "1", SpamTrap: cells["rcpt_spamtrap"] == "1",
		Suggestion: plainCell(cells["rcpt_suggestion"]),
		Details:    &rcpt.Details{CatchAll: rcpt.CatchAllUnknown},
	}
	r.Verdict, r.Reason = rcpt.ReadWords(cells[resultColumn], cells["rcpt_reason"])
	if cells["rcpt_details"] != "" {
		_ = r.UnmarshalDetails([]byte(cells["rcpt_details"])) // the other columns say the same without
	}
	if at, err := time.Parse(time.RFC3339, cells[checkedColumn]); err == nil && r.CheckedAt.IsZero() {
		r.CheckedAt = at
	}
	return r
}

// Settled reports whether an earlier result is kept: it is no unknown, or one
// of another service that need not be asked about. Texts that hold no single
// address are read again, and so is what is undeliverable without a reason: a
// record of another program may look like one of ours.
func Settled(r *rcpt.Result) bool {
	switch r.Verdict {
	case rcpt.VerdictDeliverable, rcpt.VerdictAcceptAll:
		return !r.Reason.Failed()
	case rcpt.VerdictUndeliverable:
		return !r.Reason.Failed() && r.Reason != ""
	case rcpt.VerdictUnknown:
		return !r.Reason.Failed() && (r.SpamTrap || r.Details.Source != "")
	}
	return false
}

// ReadAge reads how old an earlier result may be, in days or hours: "90d" or
// "12h".
func ReadAge(text string) (age time.Duration, err error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		number, err := strconv.ParseUint(days, 10, 14)
		age = time.Duration(number) * 24 * time.Hour
		if err == nil && age > 0 {
			return age, nil
		}
	} else if age, err = time.ParseDuration(text); err == nil && age > 0 {
		return age, nil
	}
	return 0, fmt.Errorf("%q is not an age: write days or hours, such as 30d or 12h", text)
}

// plainCell undoes [harmless].
func plainCell(cell string) string {
	if plain, found := strings.CutPrefix(cell, "'"); found && looksLikeFormula(plain) {
		return plain
	}
	return cell
}
