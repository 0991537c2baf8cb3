package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"github.com/rcpt/rcpt/lists"
)

// listsCommand is "rcpt lists".
type listsCommand struct {
	Info   listsInfoCommand   `cmd:"" help:"Print the lists with their sources and sizes."`
	Show   listsShowCommand   `cmd:"" help:"Print the entries of a list."`
	Check  listsCheckCommand  `cmd:"" help:"Show which lists have an address, domain, local-part or mail host."`
	Update listsUpdateCommand `cmd:"" help:"Install a newer edition of the lists."`
}

// listsInfoCommand is "rcpt lists info".
type listsInfoCommand struct {
	listFlags
	JSON bool `name:"json" help:"Print a JSON object."`
}

// listsInfo is what the lists hold.
type listsInfo struct {
	Edition editionInfo  `json:"edition"`
	Lists   []lists.Info `json:"lists"`
}

// editionInfo tells an edition from others.
type editionInfo struct {
	Date   string `json:"date"`
	SHA256 string `json:"sha256"`
	File   string `json:"file,omitempty"` // absent for the embedded one
}

// Run prints what the lists hold.
func (c *listsInfoCommand) Run(std terminal, logs *logFlags) error {
	source, err := c.open(logs.logger(std.err, slog.LevelInfo))
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

// writeText shows the lists to a person.
func (i listsInfo) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "edition  %s, %s\nsha256   %s\n", i.Edition.Date, i.Edition.origin(), i.Edition.SHA256)
	for _, list := range i.Lists {
		fmt.Fprintf(table, "\n%s: %s\n%s\n", list.Kind, tally(list), list.About)
		for _, source := range list.Sources {
			fmt.Fprintf(table, "    %s\t%s\t%s\t%7d\n", printable(source.Name), orDash(source.License), orDash(string(source.Confidence)), source.Count)
		}
	}
	return table.Flush()
}

func (i editionInfo) origin() string {
	if i.File == "" {
		return "embedded"
	}
	return "from " + printable(i.File)
}

// tally counts the entries of a list by their confidence.
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

// orDash keeps a column of a table in sight where there is nothing to show.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return printable(text)
}
