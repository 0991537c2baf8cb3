package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lists"
)

// mxPrefix begins entries that name a mail exchanger.
const mxPrefix = "mx:"

// The lists of mail exchangers of an edition, by their names in [lists.Info].
const (
	disposableHosts = "disposable_hosts"
	parkedHosts     = "parked_hosts"
	sharedHosts     = "shared_hosts"
)

// listsShowCommand is "rcpt lists show".
type listsShowCommand struct {
	listFlags
	JSON bool   `name:"json" help:"Print JSON lines."`
	List string `arg:"" help:"The list, as rcpt lists info names it."`
}

// Run prints the entries in their order.
func (c *listsShowCommand) Run(std terminal, logs *logFlags) error {
	source, err := c.open(logs.logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	var names []string
	for _, list := range source.Lists().Info() {
		names = append(names, string(list.Kind))
	}
	if !slices.Contains(names, c.List) {
		return usage(fmt.Errorf("there is no list %q: use one of %s", c.List, strings.Join(names, ", ")))
	}
	entries := entriesOf(source.Lists(), c.List)
	slices.SortFunc(entries, func(a, b lists.Match) int {
		return cmp.Or(strings.Compare(a.Entry, b.Entry), strings.Compare(a.Source, b.Source))
	})
	if err := writeEntries(std.out, entries, c.JSON); err != nil {
		return fmt.Errorf("cannot write the entries: %w", err)
	}
	return nil
}

// entriesOf returns the entries of a list by its name in [lists.Info].
func entriesOf(known *lists.Lists, name string) []lists.Match {
	kind, hostsOnly := lists.Kind(name), true
	switch name {
	case disposableHosts:
		kind = lists.Disposable
	case parkedHosts:
		kind = lists.SpamTrap
	case sharedHosts:
		kind = "shared" // which steers the others and matches no address
	default:
		hostsOnly = false
	}
	var entries []lists.Match
	for e := range known.Entries(kind) {
		if !hostsOnly || strings.HasPrefix(e.Entry, mxPrefix) {
			e.List = lists.Kind(name)
			entries = append(entries, e)
		}
	}
	return entries
}

// writeEntries prints entries as lines of JSON, or with tabs between entry, confidence, group and source.
func writeEntries(w io.Writer, entries []lists.Match, asJSON bool) error {
	out := bufio.NewWriter(w)
	encoder := newEncoder(out)
	for _, e := range entries {
		if asJSON {
			if err := encoder.Encode(e); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", printable(e.Entry), e.Confidence, printable(e.Group), printable(e.Source))
	}
	return out.Flush()
}
