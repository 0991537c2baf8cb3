package suite

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// table is a table in Markdown.
type table struct {
	title  string
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", t.title)
	writeRow(w, t.header)
	writeRow(w, slices.Repeat([]string{"---"}, len(t.header)))
	for _, row := range t.rows {
		writeRow(w, row)
	}
}

func writeRow(w io.Writer, cells []string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// figuresTable is for what was measured.
func figuresTable(tools []tool) *table {
	header := []string{"scenario", "figure"}
	for _, t := range tools {
		header = append(header, t.title)
	}
	return &table{title: "Cost and speed", header: append(header, "rcpt : "+yardstickTitle, "goal", "met")}
}

// harmTable is for what must not happen.
func harmTable() *table {
	return &table{title: "Answers and manners (the worst of all runs)", header: []string{
		"scenario", "tool", "answered", "right", "unsettled", "false undeliverable", "wrong otherwise", "failed",
		"DATA", "sessions without QUIT", "turned away", "most sessions to one host",
	}}
}

func (t *table) addFigures(s scenario, tools []tool, all results) {
	for _, f := range s.figures {
		cells := []string{s.name, label(f)}
		for _, tool := range tools {
			cells = append(cells, number(median(values(f, all[tool.name])))+partly(all[tool.name]))
		}
		ratio := median(ratios(f, all[ours], all[yardstick]))
		t.add(append(cells, number(ratio), f.goal.String(), f.goal.met(median(values(f, all[ours])), ratio))...)
	}
}

func label(f figure) string {
	if f.unit == "" {
		return f.title
	}
	return f.title + ", " + f.unit
}

func values(f figure, samples []sample) []float64 {
	var numbers []float64
	for _, s := range samples {
		numbers = append(numbers, f.of(s))
	}
	return numbers
}

// ratios are those of each run.
func ratios(f figure, a, b []sample) []float64 {
	numbers := values(f, a)
	for i, divisor := range values(f, b) {
		numbers[i] /= divisor
	}
	return numbers
}

// partly tells of a tool that did not get through the list in the time it had.
func partly(samples []sample) string {
	least := slices.MinFunc(samples, func(a, b sample) int { return a.Tally.Answered - b.Tally.Answered })
	if least.Tally.Answered == least.Addresses {
		return ""
	}
	return fmt.Sprintf(" (of %d addresses)", least.Tally.Answered)
}

func (t *table) addHarm(s scenario, tools []tool, all results) {
	for _, tool := range tools {
		worst := func(of func(sample) int64) string {
			most := int64(0)
			for _, s := range all[tool.name] {
				most = max(most, of(s))
			}
			return fmt.Sprint(most)
		}
		least := slices.MinFunc(all[tool.name], func(a, b sample) int { return a.Tally.Right - b.Tally.Right }).Tally
		t.add(s.name, tool.title, fmt.Sprint(least.Answered), fmt.Sprint(least.Right),
			worst(func(s sample) int64 { return int64(s.Tally.Unsettled) }),
			worst(func(s sample) int64 { return int64(s.Tally.FalseUndeliverable) }),
			worst(func(s sample) int64 { return int64(s.Tally.Wrong) }),
			worst(func(s sample) int64 { return int64(s.Tally.Failed) }),
			worst(func(s sample) int64 { return s.World.Commands["DATA"] + s.World.Commands["BDAT"] }),
			worst(func(s sample) int64 { return s.World.NoQUIT + s.World.Open }),
			worst(func(s sample) int64 { return s.World.TurnedAway }),
			worst(func(s sample) int64 { return s.World.PeakPerHost }))
	}
}
