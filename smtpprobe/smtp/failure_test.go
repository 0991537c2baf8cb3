package smtp

import (
	"encoding/json"
	"testing"
	"time"
)

// TestFailureInJSON checks that the time to wait is in whole seconds, and left
// out where there is none.
func TestFailureInJSON(t *testing.T) {
	for _, tt := range []struct {
		after, read time.Duration
		want        string
	}{
		{0, 0, `{"phase":"rcpt","kind":"turned","text":"\u003ca\u003e"}`},
		{90 * time.Second, 90 * time.Second, `{"phase":"rcpt","kind":"turned","text":"\u003ca\u003e","retry_after":90}`},
		{1500 * time.Millisecond, 2 * time.Second, `{"phase":"rcpt","kind":"turned","text":"\u003ca\u003e","retry_after":2}`},
	} {
		f := Failure{Phase: PhaseRCPT, Kind: KindTurned, Text: "<a>", RetryAfter: tt.after}
		got, err := json.Marshal(f)
		if err != nil || string(got) != tt.want {
			t.Errorf("%v: %s (%v), want %s", tt.after, got, err, tt.want)
		}
		read := Failure{RetryAfter: time.Hour} // is overwritten
		f.RetryAfter = tt.read
		if err := json.Unmarshal(got, &read); err != nil || read != f {
			t.Errorf("%s is read as %+v (%v)", got, read, err)
		}
	}
}
