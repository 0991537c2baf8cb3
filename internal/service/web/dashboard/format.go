package dashboard

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

// groupedCount writes 1234567 as 1,234,567.
func groupedCount(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return sign + text.String()
}

// briefCount writes a number in little space: from ten million on in millions.
func briefCount(n int64) string {
	switch {
	case n < 10_000_000:
		return groupedCount(n)
	case n < 100_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return groupedCount(n/1e6) + "M"
}

// day and moment write times for people, in UTC; iso writes them for programs.
func day(t time.Time) string    { return t.UTC().Format("2 Jan 2006") }
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }
func iso(t time.Time) string    { return t.UTC().Format(time.RFC3339) }

// momentHTML is the element of a moment. Script adds the time of the browser's
// place.
func momentHTML(t time.Time) template.HTML {
	return template.HTML(`<time class="moment" datetime="` + iso(t) + `">` + moment(t) + `</time>`)
}

// clockHTML is the element of a moment of today, without its day.
func clockHTML(t time.Time) template.HTML {
	return template.HTML(`<time class="moment" data-clock datetime="` + iso(t) + `">` + t.UTC().Format("15:04 UTC") + `</time>`)
}

// lastDay writes the end of a validity for people: a key that ends at midnight
// is valid until the day before.
func lastDay(end time.Time) string {
	if end.Equal(end.Truncate(24 * time.Hour)) {
		return day(end.Add(-time.Second))
	}
	return moment(end)
}

// percent writes the share of a part in the whole without decimals. A small
// share is not shown as zero.
func percent(part, whole int64) string {
	switch share := 100 * float64(part) / float64(whole); {
	case whole == 0 || part == 0:
		return "0%"
	case share < 1:
		return "<1%"
	case share > 99 && part < whole:
		return ">99%"
	default:
		return fmt.Sprintf("%.0f%%", share)
	}
}

// took writes a duration with two or three digits.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "< 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// ago writes the time between then and now.
func ago(now, then time.Time) string {
	if now.Sub(then) < time.Minute {
		return "just now"
	}
	return took(now.Sub(then)) + " ago"
}
