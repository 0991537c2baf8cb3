package suite

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// sample is what one run of one tool showed.
type sample struct {
	drive.Report
	World world.Counters
}

func (s sample) per(n float64) float64 { return n / float64(max(s.Tally.Answered, 1)) }

// figure is something to measure.
type figure struct {
	title string
	unit  string
	of    func(sample) float64
	goal  goal
}

func wallMillis(g goal) figure {
	return figure{"time to the verdict", "ms", func(s sample) float64 { return millis(s.Wall) }, g}
}

func cpuPerAddress(g goal) figure {
	return figure{"CPU per address", "ms", func(s sample) float64 { return s.per(millis(s.CPU)) }, g}
}

func perSecond(g goal) figure {
	return figure{
		"addresses per second", "",
		func(s sample) float64 { return float64(s.Tally.Answered) / s.Wall.Seconds() }, g,
	}
}

func connections(g goal) figure {
	return figure{
		"connections per address", "",
		func(s sample) float64 { return s.per(float64(s.World.Connections)) }, g,
	}
}

func roundTrips(g goal) figure {
	return figure{
		"SMTP round trips per address", "",
		func(s sample) float64 { return s.per(float64(s.World.RoundTrips())) }, g,
	}
}

func recipients(g goal) figure {
	return figure{"RCPT per address", "", func(s sample) float64 { return s.per(float64(s.World.Commands["RCPT"])) }, g}
}

func queries(g goal) figure {
	return figure{"DNS queries per address", "", func(s sample) float64 { return s.per(float64(s.World.Queries())) }, g}
}

func allocations(g goal) figure {
	return figure{"allocations per address", "", func(s sample) float64 { return s.per(float64(s.Mallocs)) }, g}
}

func peakMemory(g goal) figure {
	return figure{"peak memory", "MB", func(s sample) float64 { return float64(s.PeakRSS) / 1e6 }, g}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median of numbers; 0 of none.
func median(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(numbers))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
