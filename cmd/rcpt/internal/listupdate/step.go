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
	// maxChange is by how many per cent a list may grow or shrink from one
	// edition to another without --force. Makers of an edition review a change
	// of ten per cent; several editions may lie between two updates.
	maxChange = 25
	// fewEntries is a change that is always accepted, however short the list.
	fewEntries = 50
)

// Step is the change from the edition in use to another.
type Step struct {
	from, to *lists.Bundle
	embedded string // date of the embedded edition
	changes  []listChange
}

// listChange is the change in the number of entries of a list.
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

// Check returns why the edition should not be installed. An edition without
// effect is refused even with force.
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

// objections returns the signs of a faulty edition.
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

// isStriking reports whether a list is gone, or has grown or shrunk too much. A
// new list may have any size.
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
