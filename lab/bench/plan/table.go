package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
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

// lifted are settings in which a provider is without one of its limits, to see
// whether that is what holds it up.
var lifted = map[string]pace.Limits{
	"sessions":               {Sessions: pace.Unlimited},
	"sessions_per_minute":    {SessionsPerMinute: pace.Unlimited},
	"recipients_per_session": {RecipientsPerSession: pace.Unlimited},
	"recipients_per_minute":  {RecipientsPerMinute: pace.Unlimited},
}

// writeRates writes how fast the providers of the mixes are asked.
func writeRates(text *strings.Builder) error {
	text.WriteString("Addresses a minute that one egress gets answered:\n\n" +
		"| provider | list | networks | `normal` | limited by | `careful`, without its daily budget | limited by |\n" +
		"| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, mix := range Mixes() {
		for _, part := range mix.Parts {
			fmt.Fprintf(text, "| %s | %s | %d |", part.Provider, mix.Name, part.Networks)
			for _, preset := range []pace.Preset{pace.Normal, pace.Careful} {
				s := situation{part: part, networks: part.Networks, preset: preset}
				r, err := s.rate()
				if err != nil {
					return err
				}
				by, err := s.limitedBy()
				if err != nil {
					return err
				}
				fmt.Fprintf(text, " %s | %s |", grouped(rounded(r.Addresses)), by)
			}
			text.WriteString("\n")
		}
	}
	text.WriteString("\n")
	return nil
}

// limitedBy names the limits without any one of which a provider would be asked
// faster.
func (s situation) limitedBy() (string, error) {
	const clearly = 1.02
	with, err := s.rate()
	var by []string
	for _, s.without = range slices.Sorted(maps.Keys(lifted)) {
		r, err := s.rate()
		if err != nil {
			return "", err
		}
		if r.Addresses > clearly*with.Addresses {
			by = append(by, "`"+s.without+"`")
		}
	}
	return cmp.Or(strings.Join(by, ", "), "its mail hosts"), err
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

// rounded has two digits: the assumptions are not good for more.
func rounded(n float64) int {
	tens := math.Pow10(max(0, int(math.Log10(n))-1))
	return int(math.Round(n/tens) * tens)
}

func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
