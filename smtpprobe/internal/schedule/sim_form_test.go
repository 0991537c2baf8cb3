package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestFormBesideAList sees how long single checks wait that come every two
// seconds, each for any host, beside a list with addresses at 300 hosts of one
// provider that takes ten sessions at a time and 600 in a minute: the list uses
// those up in seconds, but for the eighth that is kept. (Rules 2.3, 2.4 and
// 5.1)
func TestFormBesideAList(t *testing.T) {
	addresses := 60_000
	if testing.Short() {
		addresses = 20_000
	}
	for _, tt := range []struct {
		name               string
		slow               float64 // mailboxes, which take five seconds
		median, p90, worst time.Duration
	}{
		{"quick mailboxes", 0, 300 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second},
		{"one mailbox in 20 is slow", 0.05, 500 * time.Millisecond, 6 * time.Second, 12 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spec := usualMail(addresses, 300, 50*time.Millisecond, 500)
			spec.slow, spec.slowDelay = tt.slow, 5*time.Second
			spec.singles, spec.singleEvery = addresses/500, 2*time.Second
			f := newFeeding(spec)
			for i := range f.domains {
				f.domains[i].host.pace = pace.Table{Provider: "one"}
			}
			if err := f.run(); err != nil {
				t.Fatal(err)
			}
			w := f.waits
			slices.Sort(w)
			n := len(w)
			t.Logf("%d single checks: median %v, nine of ten %v, all %v; the list took %v", n, w[n/2], w[n*9/10], w[n-1], f.took)
			if n != spec.singles || w[n/2] > tt.median || w[n*9/10] > tt.p90 || w[n-1] > tt.worst {
				t.Errorf("more than %v, %v and %v", tt.median, tt.p90, tt.worst)
			}
		})
	}
}
