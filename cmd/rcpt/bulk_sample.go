package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// writeEstimate prints what a sample says about the whole list.
func writeEstimate(w io.Writer, s bulkReport) {
	if s.unit == rowUnit && s.Done >= s.drawn {
		fmt.Fprintf(w, "The sample is the whole list, which has %s.\n", rowUnit.count(s.drawn))
		return
	}
	fmt.Fprintf(w, "In the whole list of %s, by this sample, with 95%% confidence\n", rowUnit.count(s.drawn))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	for _, verdict := range verdicts() {
		count := s.Verdicts[verdict]
		low, high := wilson(count, s.Done)
		fmt.Fprintf(table, "  %s\t%5.1f%% to %5.1f%%", verdict, 100*low, 100*high)
		if s.unit == rowUnit {
			rows := float64(s.drawn)
			from, to := max(count, int64(low*rows)), int64(math.Ceil(high*rows))
			fmt.Fprintf(table, "\t%9s to %s", humanize.Comma(from), rowUnit.count(to))
		}
		fmt.Fprintln(table)
	}
}

// wilson is the interval in which a share lies in 95 of 100 samples like this
// one: the score interval of Wilson (1927). It holds for shares near 0 and 1,
// too, and takes the list to be much larger than the sample; for one that is
// not, it is wider than it need be.
func wilson(count, of int64) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959964 // of the normal distribution, for 95 %
	n := float64(of)
	p := float64(count) / n
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (middle-half)/scale), min(1, (middle+half)/scale)
}
