package schedule

import (
	"slices"
	"time"
)

// Extensions that a session may end on.
const (
	startTLS   = "STARTTLS"
	pipelining = "PIPELINING"
)

// trials are the extensions that a mail host offers and that have been used
// with it: those that work, and those on whose trial a session ended. What
// failed is not used for an hour: the question is put without it. (Rule 5.6)
type trials map[string]time.Time // until when it is not used; zero: it works

// failed returns the extensions that are not to be used.
func (t trials) failed(now time.Time) []string {
	var failed []string
	for keyword, until := range t {
		if now.Before(until) {
			failed = append(failed, keyword)
		}
	}
	slices.Sort(failed)
	return failed
}

// passed reports whether the extension has worked, and not failed since.
func (t trials) passed(keyword string) bool {
	until, tried := t[keyword]
	return tried && until.IsZero()
}

// pass notes that the extension works, unless it failed in another session.
func (t *trials) pass(keyword string, now time.Time) {
	if !now.Before((*t)[keyword]) {
		t.set(keyword, time.Time{})
	}
}

// fail notes that a session ended on the trial of the extension.
func (t *trials) fail(keyword string, now time.Time) { t.set(keyword, now.Add(trialLasts)) }

// wanted notes that the host wants the extension all the same: it is tried
// again as soon as any host that failed.
func (t *trials) wanted(keyword string, now time.Time) {
	if soon := now.Add(failureLasts); (*t)[keyword].After(soon) {
		t.set(keyword, soon)
	}
}

func (t *trials) set(keyword string, until time.Time) {
	if *t == nil {
		*t = make(trials)
	}
	(*t)[keyword] = until
}
