package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/lists"
)

// listsCommand is "rcpt lists".
type listsCommand struct {
	Info   listsInfoCommand   `cmd:"" help:"Print the lists with their sources and sizes."`
	Show   listsShowCommand   `cmd:"" help:"Print the entries of a list."`
	Check  listsCheckCommand  `cmd:"" help:"Show which lists contain an address, domain, local-part or mail host."`
	Update listsUpdateCommand `cmd:"" help:"Install a newer edition of the lists."`
}

// listsInfoCommand is "rcpt lists info".
type listsInfoCommand struct {
	settings.ListFlags
	JSON bool `name:"json" help:"Print a JSON object."`
}

// listsInfo describes the lists.
type listsInfo struct {
	Edition editionInfo  `json:"edition"`
	Lists   []lists.Info `json:"lists"`
}

// editionInfo identifies an edition.
type editionInfo struct {
	Date   string `json:"date"`
	SHA256 string `json:"sha256"`
	File   string `json:"file,omitempty"` // absent for the embedded one
}

// Run prints the lists and their sources.
func (c *listsInfoCommand) Run(std terminal, logs *settings.LogFlags) error {
	source, err := c.Open(logs.Logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	used := source.Edition()
	info := listsInfo{editionInfo{used.Date(), used.SHA256(), used.File}, source.Lists().Info()}
	if c.JSON {
		return newEncoder(std.out).Encode(info)
	}
	return info.writeText(std.out)
}

// writeText prints the lists as text.
func (i listsInfo) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "edition  %s, %s\nsha256   %s\n", i.Edition.Date, i.Edition.origin(), i.Edition.SHA256)
	for _, list := range i.Lists {
		fmt.Fprintf(table, "\n%s: %s\n%s\n", list.Kind, tally(list), list.About)
		for _, source := range list.Sources {
			const format = "    %s\t%s\t%s\t%7d\n"
			fmt.Fprintf(table, format, tty.Printable(source.Name), orDash(source.License),
				orDash(string(source.Confidence)), source.Count)
		}
	}
	return table.Flush()
}

func (i editionInfo) origin() string {
	if i.File == "" {
		return "embedded"
	}
	return "from " + tty.Printable(i.File)
}

// tally counts the entries of a list by confidence.
func tally(list lists.Info) string {
	own := 0
	for _, source := range list.Sources {
		if source.Confidence == "" {
			own += source.Count
		}
	}
	parts := []string{}
	for _, part := range []struct {
		count int
		what  string
	}{{list.Curated, "curated"}, {list.Count - list.Curated - own, "bulk"}, {own, "your own"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	return fmt.Sprintf("%d entries (%s)", list.Count, strings.Join(parts, ", "))
}

// orDash returns text, or a dash for an empty column of a table.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return tty.Printable(text)
}

// mxPrefix begins entries that name a mail host.
const mxPrefix = "mx:"

// The lists of mail hosts of an edition, by their names in [lists.Info].
const (
	disposableHosts = "disposable_hosts"
	parkedHosts     = "parked_hosts"
	sharedHosts     = "shared_hosts"
)

// listsShowCommand is "rcpt lists show".
type listsShowCommand struct {
	settings.ListFlags
	JSON bool   `name:"json" help:"Print JSON lines."`
	List string `arg:"" help:"The list, as rcpt lists info names it."`
}

// Run prints the entries, sorted.
func (c *listsShowCommand) Run(std terminal, logs *settings.LogFlags) error {
	source, err := c.Open(logs.Logger(std.err, slog.LevelInfo))
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
		kind = lists.KindDisposable
	case parkedHosts:
		kind = lists.KindSpamTrap
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

// writeEntries prints entries as lines of JSON, or as entry, confidence, group
// and source with tabs between them.
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
		const format = "%s\t%s\t%s\t%s\n"
		fmt.Fprintf(out, format, tty.Printable(e.Entry), e.Confidence, tty.Printable(e.Group), tty.Printable(e.Source))
	}
	return out.Flush()
}

// listsCheckCommand is "rcpt lists check".
type listsCheckCommand struct {
	settings.ListFlags
	JSON  bool     `name:"json" help:"Print JSON lines."`
	Names []string `arg:"" name:"name" help:"What to look up: an address, a domain, a local-part such as info or info@, or a mail host as mx:HOST."`
}

// Run prints the lists that each name is on. It uses no network.
func (c *listsCheckCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	source, err := c.Open(logs.Logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax, Lists: source.Lists()})
	if err != nil {
		return err
	}
	defer verifier.Close()
	look := lookUp{lists: source.Lists(), verifier: verifier.With(engine.VerifyOptions{Clean: true})}
	for _, name := range c.Names {
		found, err := look.name(ctx, name)
		if err != nil {
			return err
		}
		if err := found.write(std.out, c.JSON); err != nil {
			return err
		}
	}
	return nil
}

// lookUp looks names up in lists.
type lookUp struct {
	lists    *lists.Lists
	verifier verifier // of the level syntax, which cleans
}

// lookUpResult has the list entries for a name.
type lookUpResult struct {
	Name       string        `json:"name"`
	Matches    []lists.Match `json:"matches"`
	Suggestion string        `json:"suggestion,omitempty"` // a name that was perhaps meant
	Fault      string        `json:"fault,omitempty"`      // why the name cannot be on a list
}

// name looks a name up as the kind of name that its form implies.
func (l lookUp) name(ctx context.Context, name string) (lookUpResult, error) {
	s := lookUpResult{Name: name, Matches: []lists.Match{}}
	host, isHost := strings.CutPrefix(name, mxPrefix)
	local, endsInAt := strings.CutSuffix(name, "@")
	domain, beginsWithAt := strings.CutPrefix(name, "@")
	switch {
	case isHost:
		l.host(&s, host)
	case endsInAt:
		s.add(l.lists.Match(local, ""))
	case strings.Contains(domain, "@"):
		return s, l.address(ctx, &s)
	case beginsWithAt, strings.Contains(name, "."):
		l.domain(&s, domain)
	default:
		s.add(l.lists.Match(name, ""))
		s.Suggestion, _ = l.lists.Suggest(strings.ToLower(name))
	}
	return s, nil
}

func (s *lookUpResult) add(found []lists.Match) { s.Matches = append(s.Matches, found...) }

// address verifies the address in a text, so that it is parsed and matched as
// always.
func (l lookUp) address(ctx context.Context, s *lookUpResult) error {
	result, err := l.verifier.Verify(ctx, s.Name)
	if err != nil {
		return err
	}
	if result.Reason.EndsAt() == rcpt.StepSyntax {
		s.Fault = result.Message
	}
	s.add(result.Details.Matches)
	s.Suggestion = result.Suggestion
	return nil
}

func (l lookUp) domain(s *lookUpResult, given string) {
	domain, err := address.Domain(given)
	if err != nil {
		s.Fault = "Not a domain: " + err.Error() + "."
		return
	}
	s.add(l.lists.Match("", domain))
	s.Suggestion, _ = l.lists.Suggest(domain)
}

// host looks a mail host up, also among the shared hosts, which match no
// address.
func (l lookUp) host(s *lookUpResult, given string) {
	host, err := address.Domain(strings.TrimSuffix(given, "."))
	if err != nil {
		s.Fault = "Not a mail host: " + err.Error() + "."
		return
	}
	s.add(l.lists.MatchHosts("", []string{host}))
	for _, shared := range entriesOf(l.lists, sharedHosts) {
		if suffix := strings.TrimPrefix(shared.Entry, mxPrefix); host == suffix || strings.HasSuffix(host, "."+suffix) {
			s.add([]lists.Match{shared})
		}
	}
}

func (s lookUpResult) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return newEncoder(w).Encode(s)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, tty.Printable(s.Name))
	for _, m := range s.Matches {
		const format = "    %s\t%s\t%s\t%s\t%s\n"
		fmt.Fprintf(table, format, m.List, tty.Printable(m.Entry), orDash(string(m.Confidence)), orDash(m.Group),
			tty.Printable(m.Source))
	}
	switch {
	case s.Fault != "":
		fmt.Fprintf(table, "    %s\n", tty.Printable(s.Fault))
	case len(s.Matches) == 0:
		fmt.Fprintln(table, "    on none of the lists")
	}
	if s.Suggestion != "" {
		fmt.Fprintf(table, "    did you mean %s?\n", tty.Printable(s.Suggestion))
	}
	return table.Flush()
}
