package accuracy

import (
	"fmt"
	"slices"

	"github.com/rcpt/rcpt"
)

// Tally counts verdicts.
type Tally struct {
	All        int // how many there are
	Right      int // verdicts that the label allows
	Dead       int // where only undeliverable is right
	Found      int // of these, those that were called so
	FalseDead  int // called undeliverable, and wrong
	FalseAlive int // called deliverable, and wrong
}

// Add counts a verdict, where those of right are right.
func (c *Tally) Add(got rcpt.Verdict, right ...rcpt.Verdict) {
	c.All++
	dead := slices.Equal(right, []rcpt.Verdict{rcpt.VerdictUndeliverable})
	if dead {
		c.Dead++
	}
	switch {
	case slices.Contains(right, got):
		c.Right++
		if dead {
			c.Found++
		}
	case got == rcpt.VerdictUndeliverable:
		c.FalseDead++
	case got == rcpt.VerdictDeliverable:
		c.FalseAlive++
	}
}

// Head is the head of a table of tallies, in Markdown.
const Head = "| what | number | right | dead ones found | falsely undeliverable | falsely deliverable |\n" +
	"| --- | --- | --- | --- | --- | --- |\n"

// Row is the row of a table for what has this name.
func (c Tally) Row(name string) string {
	percent := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %d |\n",
		name, c.All, percent(c.Right, c.All), percent(c.Found, c.Dead),
		c.FalseDead, c.FalseAlive)
}
