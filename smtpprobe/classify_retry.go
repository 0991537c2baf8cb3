package smtpprobe

import (
	"strconv"
	"time"
)

// maxRetryHint bounds what a mail host may ask for: queues give up after days, and so would a caller.
const maxRetryHint = 24 * time.Hour

// units are the words for a length of time as replies write them.
var units = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
}

// retryHint finds a wait in words: a number and a unit, as in "try again in 300 seconds" or "Greylisted for 5 minutes".
func retryHint(words []word) time.Duration {
	for i := 0; i+1 < len(words); i++ {
		unit, ok := units[words[i+1].text]
		if !ok || words[i].thing != aNumber || !announced(words[:i]) {
			continue
		}
		n, err := strconv.Atoi(words[i].text)
		if err == nil && n > 0 && n <= int(maxRetryHint/unit) {
			return time.Duration(n) * unit
		}
	}
	return 0
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
