package service

import (
	"cmp"
	"fmt"
	"slices"

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
	switch cmp.Or(p.Paused, p.Slowed) {
	case "":
		return ""
	case pace.Blocked:
		return "it has blocked this server"
	case pace.RateLimited:
		return "it said that this server was too fast"
	case pace.Harvesting:
		return fmt.Sprintf("%.0f %% of the mailboxes that it was asked about do not exist", 100*p.Refused)
	case pace.BudgetSpent:
		return "it has heard as many recipients as it may in a day"
	}
	return string(cmp.Or(p.Paused, p.Slowed))
}
