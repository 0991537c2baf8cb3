package replies

import (
	"strconv"
	"strings"
	"time"
)

// maxRetryHint is the longest wait that is accepted as a hint: mail queues give
// up after days, and callers sooner.
const maxRetryHint = 24 * time.Hour

// units are the words for a length of time as replies write them.
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
}

// retryHint finds a waiting time in words: a number and a unit, as in "try
// again in 300 seconds" or "Greylisted for 5 minutes", or a time as
// milter-greylist writes it: "come back in 00:04:59". It returns zero if there
// is none.
func retryHint(words []word) time.Duration {
	for i, w := range words {
		if w.thing != aNumber || !announced(words[:i]) {
			continue
		}
		wait := clockTime(w.text)
		if i+1 < len(words) && wait == 0 {
			wait = times(w.text, units[words[i+1].text])
		}
		if wait > 0 && wait <= maxRetryHint {
			return wait
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
		switch before[i].text {
		case "in", "after", "for", "wait", "least":
			return true
		}
	}
	return false
}
