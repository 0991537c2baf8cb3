package plan

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

var (
	sizes  = []int{100_000, 1_000_000, 10_000_000}
	counts = []int{1, 10, 100}
)

// Tables returns what the page shows, as Markdown.
func Tables() (string, error) {
	var text strings.Builder
	if err := writeRates(&text); err != nil {
		return "", err
	}
	for _, preset := range []pace.Preset{pace.Normal, pace.Careful} {
		for _, mix := range Mixes() {
			if err := writeTimes(&text, mix, preset); err != nil {
				return "", err
			}
		}
	}
	return text.String(), nil
}

// writeRates writes how fast the providers of the mixes are asked.
func writeRates(text *strings.Builder) error {
	text.WriteString("Addresses a minute that one egress gets answered:\n\n" +
		"| provider | `normal` | limited by | `careful`, without its daily budget | limited by |\n" +
		"| --- | --- | --- | --- | --- |\n")
	seen := map[string]bool{}
	for _, mix := range Mixes() {
		for _, part := range mix.Parts {
			if seen[part.Provider] {
				continue
			}
			seen[part.Provider] = true
			fmt.Fprintf(text, "| %s |", part.Provider)
			for _, preset := range []pace.Preset{pace.Normal, pace.Careful} {
				s, err := siteOf(part.Provider, pace.Settings{Preset: preset})
				if err != nil {
					return err
				}
				b := s.perMinute(float64(s.limits.Sessions))
				fmt.Fprintf(text, " %s | `%s` |", grouped(int(b.rate)), b.by)
			}
			text.WriteString("\n")
		}
	}
	text.WriteString("\n")
	return nil
}

// writeTimes writes how long lists of a mix take.
func writeTimes(text *strings.Builder, mix Mix, preset pace.Preset) error {
	fmt.Fprintf(text, "A list of %s, `--pace %s`:\n\n| addresses |", mix.Name, preset)
	for _, n := range counts {
		fmt.Fprintf(text, " %s |", egresses(n))
	}
	text.WriteString("\n| --- |" + strings.Repeat(" --- |", len(counts)) + "\n")
	for _, size := range sizes {
		fmt.Fprintf(text, "| %s |", grouped(size))
		for _, n := range counts {
			a, err := Simulate(mix, size, n, preset)
			if err != nil {
				return err
			}
			fmt.Fprintf(text, " %s (%s) |", inWords(a.Took), a.Last)
		}
		text.WriteString("\n")
	}
	text.WriteString("\n")
	return nil
}

func egresses(n int) string {
	if n == 1 {
		return "1 egress"
	}
	return fmt.Sprintf("%d egresses", n)
}

// shortest is what greylisting hosts make of any list.
const shortest = 10 * time.Minute

// inWords rounds a time to what the assumptions are good for.
func inWords(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%.0f days", math.Ceil(d.Hours()/24))
	case d >= 10*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d < shortest:
		return fmt.Sprintf("under %.0f min", shortest.Minutes())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
