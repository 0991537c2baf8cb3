package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// rest is the name of the small providers together.
const rest = "small providers"

// site is a provider in the simulation.
type site struct {
	name       string
	limits     pace.Limits
	perSession float64       // addresses that share one
	session    time.Duration // how long it takes
	left       float64       // addresses
	today      float64       // recipients named through each egress
}

// siteOf returns a provider at the limits of a preset, as far as lists may use
// them.
func siteOf(name string, settings pace.Settings) (*site, error) {
	table, ok := provider.PacingOf(name)
	if !ok {
		return nil, fmt.Errorf("plan: %q is not a provider", name)
	}
	s := &site{name: name, limits: settings.Rules(table).Limits, perSession: refusals / refused}
	for _, l := range []*int{
		&s.limits.Sessions, &s.limits.SessionsPerMinute, &s.limits.RecipientsPerMinute, &s.limits.RecipientsPerDay,
	} {
		*l = pace.ForLists(*l)
	}
	if n := s.limits.RecipientsPerSession; n > 0 {
		s.perSession = min(s.perSession, float64(n)/named)
	}
	s.session = opening + time.Duration(s.perSession*named*float64(perRecipient))
	return s, nil
}

// bound is a number of addresses a minute, and the limit that gives it.
type bound struct {
	rate float64
	by   string
}

// perMinute returns how many addresses one egress gets answered in a minute
// with so many sessions at a time.
func (s *site) perMinute(sessions float64) bound {
	b := bound{sessions * float64(time.Minute) / float64(s.session) * s.perSession, "sessions"}
	lower := func(limit int, each float64, by string) {
		if rate := float64(limit) * each; limit > 0 && rate < b.rate {
			b = bound{rate, by}
		}
	}
	lower(s.limits.SessionsPerMinute, s.perSession, "sessions_per_minute")
	lower(s.limits.RecipientsPerMinute, 1/named, "recipients_per_minute")
	return b
}

// budget returns how many recipients an egress may still name today.
func (s *site) budget(day int, first int) float64 {
	most := math.Inf(1)
	if s.limits.RecipientsPerDay > 0 {
		most = float64(s.limits.RecipientsPerDay)
	}
	if first > 0 {
		most = min(most, float64(pace.ForLists(first<<min(day, 40))))
	}
	return max(0, most-s.today)
}

// Answer is how long a list takes.
type Answer struct {
	Took time.Duration
	Last string // the provider whose addresses are done last
}

// Simulate plays a list through so many egresses of one process, minute by
// minute.
func Simulate(mix Mix, addresses, egresses int, preset pace.Preset) (Answer, error) {
	settings := pace.Settings{Preset: preset}.WithDefaults()
	small := float64(addresses)
	var sites []*site
	for _, part := range mix.Parts {
		s, err := siteOf(part.Provider, settings)
		if err != nil {
			return Answer{}, err
		}
		s.left = part.Share * float64(addresses)
		small -= s.left
		sites = append(sites, s)
	}
	var answer Answer
	minute := 0
	for open := true; open; minute++ {
		open = false
		free := step(sites, minute, egresses, settings.Egress.FirstDay, &answer)
		if small > 0 {
			small -= min(free, concurrency) * restPerSession * float64(time.Minute) / float64(restSession)
			answer.Last, open = rest, small > 0
		}
		for _, s := range sites {
			open = open || s.left > 0
		}
	}
	answer.Took = time.Duration(minute) * time.Minute
	return answer, nil
}

// step is a minute of the large providers. It returns how many sessions they
// leave to others. Where all together would have too many, each gets its share.
func step(sites []*site, minute, egresses, firstDay int, answer *Answer) (free float64) {
	const day = 24 * 60
	wanted := 0.0
	for _, s := range sites {
		if minute%day == 0 {
			s.today = 0
		}
		if s.left > 0 {
			wanted += float64(s.limits.Sessions * egresses)
		}
	}
	share := min(1, (maxSessions-concurrency)/max(1, wanted))
	free = maxSessions
	for _, s := range sites {
		if s.left <= 0 {
			continue
		}
		sessions := share * float64(s.limits.Sessions)
		free -= sessions * float64(egresses)
		done := min(s.perMinute(sessions).rate, s.budget(minute/day, firstDay)/named)
		s.today += done * named
		s.left -= done * float64(egresses)
		answer.Last = s.name
	}
	return free
}
