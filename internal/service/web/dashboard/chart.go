package dashboard

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// The size of a chart in units of its own: it is stretched to the page, so only
// the proportions matter.
const (
	chartWidth  = 900.0
	chartHeight = 200.0
	barShare    = 0.72 // of the room for a day
	axisDays    = 6    // about as many days are named below
)

// chart is a bar for each day, stacked by result.
type chart struct {
	Width, Height float64
	Bars          []bar
	Ticks         []string    // from the top to zero
	Days          []time.Time // that the axis names, evenly from the first on
	Busiest       time.Time
	Highest       int64
}

// bar is a day.
type bar struct {
	Day    time.Time
	X, W   float64 // of the room for the day
	Parts  []part
	Counts [4]int64 // as verdicts
	Total  int64
	Tip    string
}

// part is a result of a day.
type part struct {
	Tone       string
	X, Y, W, H float64
}

// chartOf draws the usage of the days from the first on.
func chartOf(used []store.Usage, first time.Time, days int) chart {
	c := chart{Width: chartWidth, Height: chartHeight, Bars: make([]bar, days)}
	room := chartWidth / float64(days)
	for i := range c.Bars {
		c.Bars[i] = bar{Day: first.AddDate(0, 0, i), X: float64(i) * room, W: room}
	}
	for _, u := range used {
		i, result := int(u.Day.Sub(first)/(24*time.Hour)), slices.Index(verdicts, u.Result)
		if i >= 0 && i < days && result >= 0 {
			c.Bars[i].Counts[result] += u.Count
			c.Bars[i].Total += u.Count
		}
	}
	for i := 0; i < days; i += max(1, days/axisDays) {
		c.Days = append(c.Days, first.AddDate(0, 0, i))
	}
	c.Busiest = first
	for _, b := range c.Bars {
		if b.Total > c.Highest {
			c.Highest, c.Busiest = b.Total, b.Day
		}
	}
	top := roundTop(c.Highest)
	for i := range 5 {
		c.Ticks = append(c.Ticks, shortCount(top*int64(4-i)/4))
	}
	for i := range c.Bars {
		c.Bars[i].stack(float64(top))
	}
	return c
}

// stack puts the parts on top of each other.
func (b *bar) stack(top float64) {
	y := chartHeight
	for i, n := range b.Counts {
		h := chartHeight * float64(n) / top
		y -= h
		if n > 0 {
			b.Parts = append(b.Parts, part{
				Tone: toneOf(verdicts[i]), X: b.X + b.W*(1-barShare)/2, Y: y, W: b.W * barShare, H: h,
			})
		}
	}
	b.Tip = fmt.Sprintf("%s: %s", day(b.Day), plural(b.Total, "check"))
	for i, n := range b.Counts {
		if n > 0 {
			b.Tip += fmt.Sprintf("\n%s %s", groupedCount(n), verdicts[i])
		}
	}
}

// roundTop is the top of the axis: the first of 4, 8, 12, 16, 20, 24, 32, 40
// and so on that is not below the highest bar. A quarter of it is whole.
func roundTop(highest int64) int64 {
	for scale := int64(4); ; scale *= 10 {
		for _, step := range []int64{1, 2, 3, 4, 5, 6, 8} {
			if top := step * scale; top >= highest || top > math.MaxInt64/100 {
				return top
			}
		}
	}
}

// shortCount writes a number of an axis.
func shortCount(n int64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%gM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%gk", float64(n)/1e3)
	}
	return groupedCount(n)
}

func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return groupedCount(n) + " " + one + "s"
}
