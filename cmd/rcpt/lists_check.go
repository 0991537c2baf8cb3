package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

// listsCheckCommand is "rcpt lists check".
type listsCheckCommand struct {
	listFlags
	JSON  bool     `name:"json" help:"Print JSON lines."`
	Names []string `arg:"" name:"name" help:"What to look for: an address, a domain, a local-part such as info or info@, or a mail host as mx:HOST."`
}

// Run prints what the lists say about each name. Nothing is asked of anybody.
func (c *listsCheckCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	source, err := c.open(logs.logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax, Lists: source.Lists()})
	if err != nil {
		return err
	}
	defer verifier.Close()
	look := lookUp{lists: source.Lists(), verifier: verifier}
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

// lookUp looks for names in lists.
type lookUp struct {
	lists    *lists.Lists
	verifier verifier // that goes by the lists alone
}

// saying is what the lists say about a name.
type saying struct {
	Name       string        `json:"name"`
	Matches    []lists.Match `json:"matches"`
	Suggestion string        `json:"suggestion,omitempty"` // what was perhaps meant
	Fault      string        `json:"fault,omitempty"`      // why the name cannot be on a list
}

// name looks for a name as what its form says that it is.
func (l lookUp) name(ctx context.Context, name string) (saying, error) {
	s := saying{Name: name, Matches: []lists.Match{}}
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

func (s *saying) add(found []lists.Match) { s.Matches = append(s.Matches, found...) }

// address has the address that a text means verified, so that it is read and matched as ever.
func (l lookUp) address(ctx context.Context, s *saying) error {
	result, err := engine.VerifyText(ctx, l.verifier, s.Name)
	if err != nil {
		return err
	}
	switch result.Verdict {
	case engine.Undeliverable, engine.Several, engine.Empty:
		s.Fault = result.Message
	}
	s.add(result.Details.Matches)
	s.Suggestion = result.Details.Suggestion
	return nil
}

func (l lookUp) domain(s *saying, given string) {
	domain, err := address.Domain(given)
	if err != nil {
		s.Fault = "Not a domain: " + err.Error() + "."
		return
	}
	s.add(l.lists.Match("", domain))
	s.Suggestion, _ = l.lists.Suggest(domain)
}

// host looks for a mail host, among those too that serve all kinds of domains, which say nothing.
func (l lookUp) host(s *saying, given string) {
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

func (s saying) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return newEncoder(w).Encode(s)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, printable(s.Name))
	for _, m := range s.Matches {
		fmt.Fprintf(table, "    %s\t%s\t%s\t%s\t%s\n", m.List, printable(m.Entry), orDash(string(m.Confidence)), orDash(m.Group), printable(m.Source))
	}
	switch {
	case s.Fault != "":
		fmt.Fprintf(table, "    %s\n", printable(s.Fault))
	case len(s.Matches) == 0:
		fmt.Fprintln(table, "    on no list")
	}
	if s.Suggestion != "" {
		fmt.Fprintf(table, "    perhaps %s was meant\n", printable(s.Suggestion))
	}
	return table.Flush()
}
