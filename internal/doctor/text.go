package doctor

import (
	"fmt"
	"io"
	"strings"
)

// labels are the states as the text shows them.
var labels = map[State]string{StateOK: "ok", StateWarning: "WARNING", StateFault: "FAULT", StateSkipped: "skipped"}

// headings are the names of the checks for people.
var headings = map[string]string{
	NameResolver: "resolver", NameResolverHonest: "resolver, honesty", NameResolverTCP: "resolver, TCP",
	NameTruncation: "resolver, long answers", NameResolverLists: "resolver, block lists", NamePort: "port",
	NameProvider: "provider", NameAddress: "public address", NamePTR: "PTR record", NameHELO: "HELO", NameSPF: "SPF",
	NameBlockList: "block lists", NameClock: "clock", NameOpenFiles: "open files",
}

// Heading is the check's name for people.
func (c Check) Heading() string { return headings[c.Name] }

// Summary is the report in one sentence.
func (r Report) Summary() string {
	faults, warnings := r.Count(StateFault), r.Count(StateWarning)
	switch {
	case faults > 0:
		return fmt.Sprintf("%s, %s: verdicts suffer", plural(faults, "fault"), plural(warnings, "warning"))
	case warnings > 0:
		return plural(warnings, "warning") + ": verdicts are possible"
	}
	return "everything that was checked works"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WriteText prints the report: what concerns all egresses first, then each
// egress.
func (r Report) WriteText(w io.Writer) error {
	var text strings.Builder
	egress := ""
	for _, c := range r.Checks {
		if c.Egress != egress {
			egress = c.Egress
			fmt.Fprintf(&text, "\nEgress %s\n", egress)
		}
		fmt.Fprintf(&text, "%-8s %s: %s\n", labels[c.State], strings.TrimSpace(c.Heading()+" "+c.Subject), c.Found)
		if c.State == StateFault || c.State == StateWarning {
			fmt.Fprintf(&text, "         why: %s\n         do:  %s\n", c.Why, c.Do)
		}
	}
	fmt.Fprintf(&text, "\n%s (%.1f s)\n", r.Summary(), float64(r.DurationMS)/1000)
	_, err := io.WriteString(w, text.String())
	return err
}
