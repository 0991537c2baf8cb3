package suite

import "fmt"

// goal is what a figure of ours should be; the zero goal is none.
type goal struct {
	bound   float64
	atLeast bool   // else at most
	times   string // of whose figure the bound is a multiple; empty: the bound is the figure itself
}

func atMost(bound float64) goal  { return goal{bound: bound} }
func atLeast(bound float64) goal { return goal{bound: bound, atLeast: true} }

// of makes the goal one for the ratio to somebody else's figure.
func (g goal) of(whose string) goal {
	g.times = whose
	return g
}

func (g goal) String() string {
	if g == (goal{}) {
		return ""
	}
	sign := "≤"
	if g.atLeast {
		sign = "≥"
	}
	if g.times == "" {
		return fmt.Sprintf("%s %s", sign, number(g.bound))
	}
	return fmt.Sprintf("%s %s × %s", sign, number(g.bound), g.times)
}

// met says whether a figure, or the ratio where the goal is about one, reaches
// the goal.
func (g goal) met(figure, ratio float64) string {
	value := figure
	if g.times != "" {
		value = ratio
	}
	switch {
	case g == (goal{}):
		return ""
	case g.atLeast && value >= g.bound, !g.atLeast && value <= g.bound:
		return "yes"
	}
	return "**no**"
}

// number writes three significant digits, and all that stand before the point.
func number(n float64) string {
	switch {
	case n >= 100:
		return fmt.Sprintf("%.0f", n)
	case n >= 10:
		return fmt.Sprintf("%.1f", n)
	case n >= 1:
		return fmt.Sprintf("%.2f", n)
	}
	return fmt.Sprintf("%.3g", n)
}
