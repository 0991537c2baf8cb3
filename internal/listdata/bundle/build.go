package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/table"
)

// Draft is an edition in the making.
type Draft struct {
	Head
	Domains, Words, Addresses, Hosts []Entry
	Targets                          string
}

// Entry is a name in a list.
type Entry struct {
	Name string
	Listing
}

// Unique sorts entries and leaves out what is there twice, as the domain of
// several addresses is.
func Unique(entries []Entry) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.List, b.List))
	})
	return slices.Compact(entries)
}

// Build writes the edition. The same draft makes the same bytes.
func (d Draft) Build() (string, error) {
	var n Numbering
	sections := []struct{ name, data string }{{name: "listings"}}
	for _, t := range []struct {
		name    string
		entries []Entry
	}{{"domains", d.Domains}, {"words", d.Words}, {"addresses", d.Addresses}, {"hosts", d.Hosts}} {
		data, err := n.Table(t.entries)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.name, err)
		}
		sections = append(sections, struct{ name, data string }{t.name, data})
	}
	sections[0].data = n.build()
	sections = append(sections, struct{ name, data string }{"targets", d.Targets})

	head := new(strings.Builder)
	head.WriteString(firstLine)
	d.Head.write(head)
	body := new(strings.Builder)
	for i, s := range sections {
		if i > 0 {
			head.WriteByte('\n')
		}
		fmt.Fprintf(head, "section: %s\t%d", s.name, len(s.data))
		body.WriteString(s.data)
	}
	sum := checksum(head.String() + headEnd + body.String())
	return head.String() + checksumIs + sum + headEnd + body.String(), nil
}

func (h Head) write(out *strings.Builder) {
	fmt.Fprintf(out, "date: %s\n", h.Date)
	for _, l := range h.Lists {
		fmt.Fprintf(out, "list: %s\t%d\t%d\t%s\n", l.Name, l.Count, l.Curated, l.About)
	}
	for _, s := range h.Sources {
		fmt.Fprintf(out, "source: %s\t%s\t%s\t%s\t%d\n", s.List, s.Name, s.License, s.Tier, s.Count)
	}
}

// Table makes the table of entries, whose listings it numbers.
func (n *Numbering) Table(entries []Entry) (string, error) {
	rows := make([]table.Entry, len(entries))
	for i, e := range entries {
		if len(e.Name) > table.MaxName {
			return "", fmt.Errorf("%q is longer than %d bytes", e.Name, table.MaxName)
		}
		number, err := n.Number(e.Listing)
		if err != nil {
			return "", err
		}
		rows[i] = table.Entry{Name: e.Name, Value: number}
	}
	return table.Build(rows), nil
}
