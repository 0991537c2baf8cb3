package listupdate

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/lists"
)

const (
	// maxChange is the share of its entries, in per cent, by which a list may
	// grow or shrink from one edition to another before somebody has to look.
	// Those who make an edition look at a tenth; several may lie between two
	// updates.
	maxChange = 25
	// fewEntries is a change that needs no look, however short the list.
	fewEntries = 50
)

// Step is the way from the edition in use to another.
type Step struct {
	from, to *lists.Bundle
	embedded string // date of the embedded edition
	changes  []listChange
}

// listChange is what becomes of the number of entries of a list.
type listChange struct {
	list          lists.Kind
	before, after int
}

// StepFrom returns the step between two editions.
func StepFrom(from, to *lists.Bundle) (Step, error) {
	embedded, err := lists.Embedded()
	if err != nil {
		return Step{}, err
	}
	before, err := from.New()
	if err != nil {
		return Step{}, err
	}
	after, err := to.New()
	if err != nil {
		return Step{}, err
	}
	return Step{from: from, to: to, embedded: embedded.Date(), changes: changes(before.Info(), after.Info())}, nil
}

// changes pairs the lists of two editions.
func changes(before, after []lists.Info) []listChange {
	var all []listChange
	at := map[lists.Kind]int{}
	for _, list := range before {
		at[list.Kind] = len(all)
		all = append(all, listChange{list: list.Kind, before: list.Count})
	}
	for _, list := range after {
		if i, known := at[list.Kind]; known {
			all[i].after = list.Count
			continue
		}
		all = append(all, listChange{list: list.Kind, after: list.Count})
	}
	return all
}

// IsNone reports whether both editions are the same.
func (s Step) IsNone() bool { return s.from.SHA256() == s.to.SHA256() }

// Check says why the step should not be taken. An edition without effect is
// refused even if somebody insists.
func (s Step) Check(forced bool) error {
	if _, err := time.Parse(time.DateOnly, s.to.Date()); err != nil {
		return fmt.Errorf("the edition has the date %q instead of one such as 2006-01-02", s.to.Date())
	}
	if s.to.Date() < s.embedded {
		return fmt.Errorf("the edition of %s is older than the embedded one, of %s, which would be used instead",
			s.to.Date(), s.embedded)
	}
	if forced {
		return nil
	}
	if objections := s.objections(); len(objections) > 0 {
		return errors.New(strings.Join(objections, "; ") + "; if that is right, take it with --force")
	}
	return nil
}

// objections are the signs that something has gone wrong with the edition.
func (s Step) objections() []string {
	var all []string
	if s.to.Date() < s.from.Date() {
		all = append(all, fmt.Sprintf("the edition of %s is older than the one in use, of %s", s.to.Date(),
			s.from.Date()))
	}
	for _, c := range s.changes {
		if c.isStriking() {
			all = append(all, fmt.Sprintf("the list %s has %d entries and had %d, which is more than %d %% apart",
				c.list, c.after, c.before, maxChange))
		}
	}
	return all
}

// isStriking reports a list that is gone, or that has grown or shrunk by much.
// One that was not there before may have any size.
func (c listChange) isStriking() bool {
	moved := max(c.after-c.before, c.before-c.after)
	switch {
	case c.before == 0:
		return false
	case c.after == 0:
		return true
	}
	return moved > fewEntries && moved*100 > c.before*maxChange
}

// Write prints the changes of the Step as text.
func (s Step) Write(w io.Writer, path string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "Lists of %s are now in %s; those from before were of %s.\n\n", s.to.Date(), path, s.from.Date())
	fmt.Fprintln(table, "before\tafter\t  list")
	for _, c := range s.changes {
		fmt.Fprintf(table, "%d\t%d\t  %s\n", c.before, c.after, c.list)
	}
	return table.Flush()
}
