package schedule

import (
	"slices"
	"testing"
	"time"
)

// TestTrials sees how long an extension is not used with a host on whose trial
// a session ended, and when it is known to work.
func TestTrials(t *testing.T) {
	fail := func(x *trials, now time.Time) { x.fail(startTLS, now) }
	pass := func(x *trials, now time.Time) { x.pass(startTLS, now) }
	want := func(x *trials, now time.Time) { x.wanted(startTLS, now) }
	for _, tt := range []struct {
		name    string
		happens []func(*trials, time.Time) // one a second
		failed  time.Duration              // until then, from the last of them on; zero: it may be used
		passed  bool
	}{
		{"nothing", nil, 0, false},
		{"it works", []func(*trials, time.Time){pass}, 0, true},
		{"it fails", []func(*trials, time.Time){fail}, trialLasts, false},
		{"it worked, and fails", []func(*trials, time.Time){pass, fail}, trialLasts, false},
		{"it works in another session", []func(*trials, time.Time){fail, pass}, trialLasts - time.Second, false},
		{"the host wants it", []func(*trials, time.Time){fail, want}, failureLasts, false},
		{"it fails soon after", []func(*trials, time.Time){fail, want, fail}, trialLasts, false},
		{"it works, and the host wants it", []func(*trials, time.Time){pass, want}, 0, true},
		{"the host wants it again and again", []func(*trials, time.Time){fail, want, want, want}, failureLasts - 2*time.Second, false},
	} {
		var x trials
		now := start
		for i, happens := range tt.happens {
			now = start.Add(time.Duration(i) * time.Second)
			happens(&x, now)
		}
		last := now.Add(tt.failed - 1)
		if failed := slices.Equal(x.failed(last), []string{startTLS}); failed != (tt.failed > 0) || x.failed(now.Add(tt.failed)) != nil {
			t.Errorf("%s: not used at the last moment: %t; then %v", tt.name, failed, x.failed(now.Add(tt.failed)))
		}
		if x.passed(startTLS) != tt.passed || x.passed(pipelining) {
			t.Errorf("%s: it is known to work: %t", tt.name, x.passed(startTLS))
		}
	}
	x := trials{startTLS: start.Add(time.Hour), pipelining: start.Add(time.Hour), "SIZE": time.Time{}}
	if got := x.failed(start); !slices.Equal(got, []string{pipelining, startTLS}) {
		t.Errorf("not used: %v", got)
	}
}
