package exchange

import (
	"testing"
	"time"
)

// TestRetryAfterIsNeverZero checks that no client is told to come back at once.
func TestRetryAfterIsNeverZero(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		-time.Second: "1", 0: "1", time.Nanosecond: "1", time.Second: "1", time.Second + 1: "2", time.Hour: "3600",
	} {
		if got := Seconds(wait); got != want {
			t.Errorf("%v: %s, want %s", wait, got, want)
		}
	}
}
