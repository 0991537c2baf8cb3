package replies

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxRetryHint is the longest wait that is accepted as a hint: mail queues give
// up after days, and callers sooner.
const maxRetryHint = 24 * time.Hour

// units are the words for a length of time, by their first letters.
var units = []struct {
	unit  time.Duration
	words []string
}{
	{time.Second, []string{"s", "sec*", "seg*", "sek*", "сек*", "秒", "초"}},
	{time.Minute, []string{"m", "min*", "мин*", "хв*", "分", "분"}},
	{time.Hour, []string{"h", "hr", "hrs", "hour*", "stund*", "heur*", "hora*", "ora", "ore", "godz*", "час*", "uur",
		"uren", "小", "時", "시"}},
	{24 * time.Hour, []string{"day", "days", "tag", "tage", "tagen", "jour*", "dia", "dias", "giorn*"}},
}

// numerals are the numbers that replies spell out.
var numerals = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "fifteen": 15, "twenty": 20,
	"thirty": 30, "sixty": 60,
}

// singular are the units that mean one of them where no number stands before.
var singular = map[string]time.Duration{
	"minute": time.Minute, "hour": time.Hour, "stunde": time.Hour, "heure": time.Hour, "hora": time.Hour,
	"day": 24 * time.Hour,
}

// announcements are the words behind which a length of time is a wait.
var announcements = map[string]bool{
	"in": true, "after": true, "for": true, "wait": true, "least": true, "within": true, "another": true,
	"defer": true, "deferred": true, "delay": true, "delayed": true, "retry": true, "again": true, "retryafter": true,
	"nach": true, "dans": true, "apres": true, "en": true, "dentro": true, "em": true, "tra": true, "fra": true,
	"dopo": true, "over": true, "za": true, "через": true, "在": true,
}

// bareAnnouncements are those behind which a number alone means seconds.
var bareAnnouncements = map[string]bool{
	"after": true, "retryafter": true, "delay": true, "defer": true, "wait": true,
}

// retryHint finds a waiting time in words: "try again in 300 seconds", "for 5
// minutes", "in an hour", "retry after 1h30m", "(defer 300s)", or hours,
// minutes and seconds as milter-greylist writes them: "come back in 00:04:59".
// It returns zero if there is none.
func retryHint(words []word) time.Duration {
	for i := range words {
		if !announced(words[:i]) {
			continue
		}
		var unit time.Duration
		switch {
		case i+1 < len(words) && unitOf(words[i+1].text) > 0:
			unit = unitOf(words[i+1].text)
		case bareAnnouncements[words[i-1].text] && !(i+1 < len(words) && words[i+1].thing == aNumber): // no date
			unit = time.Second
		}
		if wait := waitOf(words[i].text, unit); wait > 0 && wait <= maxRetryHint {
			return wait
		}
	}
	return 0
}

// waitOf returns the length of time that a word means in front of a unit; zero
// for none.
func waitOf(text string, unit time.Duration) time.Duration {
	if wait := clockTime(text); wait > 0 {
		return wait
	}
	if wait, err := time.ParseDuration(text); err == nil { // "300s", "1h30m"
		return wait
	}
	if singular[text] > 0 {
		return singular[text] // "in an hour"
	}
	if n, ok := numerals[text]; ok {
		return time.Duration(n) * unit
	}
	if digits := strings.TrimRightFunc(text, notDigit); digits != text {
		return times(digits, unitOf(text[len(digits):])) // "15min"
	}
	if _, most, ok := strings.Cut(text, "-"); ok {
		text = most // "5-10 minutes"
	}
	return times(text, unit)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// unitOf returns the length of time that a word names; zero for none.
func unitOf(text string) time.Duration {
	for _, u := range units {
		for _, word := range u.words {
			stem, open := strings.CutSuffix(word, "*")
			if text == stem || open && strings.HasPrefix(text, stem) {
				return u.unit
			}
		}
	}
	return 0
}

// times returns a number of units, or zero if it is no number or far too large.
func times(number string, unit time.Duration) time.Duration {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > int(maxRetryHint/time.Second) {
		return 0
	}
	return time.Duration(n) * unit
}

// clockTime reads hours, minutes and seconds; zero for anything else.
func clockTime(text string) time.Duration {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0
	}
	return times(parts[0], time.Hour) + times(parts[1], time.Minute) + times(parts[2], time.Second)
}

// announced reports whether the words before a length of time make it a wait.
func announced(before []word) bool {
	for i := len(before) - 1; i >= 0 && i >= len(before)-3; i-- {
		if announcements[before[i].text] {
			return true
		}
	}
	return false
}

// dates are the dates in a reply that end a wait: as in RFC 3339, with a blank
// or without a zone, or as in RFC 5322.
var dates = regexp.MustCompile(`\b(?:after|until|before|at)[: ]+(?:[A-Z][a-z]{2}, )?` +
	`(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2} \d{4})[T ](\d\d:\d\d)(:\d\d)? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?`)

// retryDate returns the wait until the date from which a reply invites another
// try; zero for none. A date without a zone is taken for UTC.
func retryDate(lines []string, now time.Time) time.Duration {
	found := dates.FindStringSubmatch(strings.Join(lines, " "))
	if found == nil || now.IsZero() {
		return 0
	}
	zone := strings.ReplaceAll(found[4], ":", "")
	if strings.Trim(zone, "ZUTCGM") == "" {
		zone = "+0000"
	}
	for _, layout := range []string{"2006-01-02", "2 Jan 2006"} {
		at, err := time.Parse(layout+"T15:04:05-0700", found[1]+"T"+found[2]+cmp.Or(found[3], ":00")+zone)
		if wait := at.Sub(now); err == nil && wait > 0 && wait <= maxRetryHint {
			return wait.Round(time.Second)
		}
	}
	return 0
}
