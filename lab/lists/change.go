package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// maxMove is the share of its entries, in per cent, by which a list may grow or
// shrink without a review.
const maxMove = 10

// checkSizes refuses lists that changed in size by more than maxMove. A new
// list may have any size.
func checkSizes(old, texts []listfile.File) error {
	for i, f := range texts {
		was := old[i].Count
		if moved := max(f.Count-was, was-f.Count); was > 0 && moved*100 > was*maxMove {
			return fmt.Errorf("%s has %d entries and had %d, which is more than %d %% apart: "+
				"accept it with -accept if it is right", f.Name, f.Count, was, maxMove)
		}
	}
	return nil
}

// maxExamples is how many added and removed names are shown: enough to see what
// kind they are.
const maxExamples = 20

// reportChanges shows what an update adds to the lists and takes from them.
func reportChanges(w io.Writer, old, texts []listfile.File) {
	for i, f := range texts {
		fmt.Fprintf(w, "%s: %d entries, had %d\n", f.Name, f.Count, old[i].Count)
		reportNames(w, "added", missing(old[i], f))
		reportNames(w, "removed", missing(f, old[i]))
	}
}

// missing returns the names of a list that another one lacks.
func missing(lacks, has listfile.File) []string {
	there := make(set, len(lacks.Entries))
	for _, e := range lacks.Entries {
		there[e.Name] = true
	}
	var list []string
	for _, e := range has.Entries {
		if !there[e.Name] {
			list = append(list, e.Name)
		}
	}
	return list
}

// reportNames shows examples from all over the list.
func reportNames(w io.Writer, what string, names []string) {
	if len(names) == 0 {
		return
	}
	step := (len(names) + maxExamples - 1) / maxExamples
	var examples []string
	for i := 0; i < len(names); i += step {
		examples = append(examples, names[i])
	}
	fmt.Fprintf(w, "  %s %d: %s\n", what, len(names), strings.Join(examples, " "))
}

// reportHead shows counts by list, tier and source.
func reportHead(w io.Writer, h bundle.Head) {
	for _, l := range h.Lists {
		fmt.Fprintf(w, "%-16s %6d, curated %6d, bulk %6d\n", l.Name, l.Count, l.Curated, l.Count-l.Curated)
		for _, s := range h.Sources {
			if s.List == l.Name {
				fmt.Fprintf(w, "  %6d %s (%s, %s)\n", s.Count, s.Name, s.License, s.Tier)
			}
		}
	}
}

// reportAges shows how old the edition of each source is, the oldest first: an
// entry that a source has taken off since is still there.
func reportAges(w io.Writer, packages []pkg, now time.Time) {
	byDay := func(a, b pkg) int { return cmp.Compare(a.day(), b.day()) }
	for _, p := range slices.SortedStableFunc(slices.Values(packages), byDay) {
		day, _ := time.Parse(time.DateOnly, p.day()) // which pkg.check has read
		fmt.Fprintf(w, "%s is of %s, %d days old\n", p, p.day(), int(now.Sub(day).Hours()/24))
	}
}
