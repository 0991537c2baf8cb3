package service

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// maxPaceRows is how many providers the Health page shows.
const maxPaceRows = 20

// paceRows are the providers for the Health page: those in trouble first, then
// those for which most addresses wait.
func paceRows(all []smtpprobe.ProviderPace) []dashboard.Pace {
	var rows []dashboard.Pace
	for _, p := range all {
		rows = append(rows, dashboard.Pace{
			Provider: p.Provider, Egress: p.Egress, Waiting: p.Waiting, Sessions: p.Sessions, Allowed: p.Allowed,
			Slowed: p.Slowed != "", Until: p.PausedUntil, Reason: troubleText(p),
			Harvesting: p.Slowed == pace.Harvesting || p.Paused == pace.Harvesting,
		})
	}
	troubled := func(row dashboard.Pace) int {
		switch {
		case !row.Until.IsZero():
			return 0
		case row.Slowed:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(rows, func(a, b dashboard.Pace) int {
		return cmp.Or(cmp.Compare(troubled(a), troubled(b)), cmp.Compare(b.Waiting, a.Waiting))
	})
	return rows[:min(len(rows), maxPaceRows)]
}

// troubleText says why a provider is paused or asked more slowly; empty: it is
// neither.
func troubleText(p smtpprobe.ProviderPace) string {
	trouble := cmp.Or(p.Paused, p.Slowed)
	text := headway.Why(string(trouble))
	if trouble == pace.Harvesting {
		text += fmt.Sprintf(" (%.0f%%)", 100*p.Refused)
	}
	return text
}
