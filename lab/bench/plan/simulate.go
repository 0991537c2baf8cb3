package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/forecast"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

const (
	// rest is the name of the small providers together.
	rest = "small providers"
	// thinned is the part of the small providers that is simulated, with as
	// small a part of the process: they have nothing else in common.
	thinned = 25
	// warmUp is how long limits of mail hosts grow. What is counted then is so
	// long that it does not matter where it begins.
	warmUp  = 2 * time.Minute
	counted = 4 * time.Minute
)

// situation is what is simulated: a provider, or with no name the small ones.
type situation struct {
	part     Part
	networks int         // of those of the provider, that one egress has
	preset   pace.Preset // its daily budget left out
	without  string      // the name of a limit that the provider does not have; empty: it has all
}

// known are the rates that were simulated.
var known = map[situation]forecast.Rate{}

// rate returns how fast addresses are answered.
func (s situation) rate() (forecast.Rate, error) {
	r, ok := known[s]
	if ok {
		return r, nil
	}
	hosts, process, err := s.assume()
	if err != nil {
		return r, err
	}
	r = forecast.Of(hosts, process, warmUp, counted)
	if s.part.Provider == "" {
		r.Addresses, r.Recipients, r.Sessions = r.Addresses*thinned, r.Recipients*thinned, r.Sessions*thinned
	}
	known[s] = r
	return r, nil
}

// assume returns the mail hosts, and what asks them.
func (s situation) assume() (forecast.Hosts, forecast.Process, error) {
	h := forecast.Hosts{
		Domain: s.part.Domain, Networks: s.networks,
		Open: opening, Reply: reply, Recipient: perRecipient, Refused: refused,
	}
	p := forecast.Process{Pace: pace.Settings{Preset: s.preset}, Sessions: maxSessions, Concurrency: concurrency}
	p.Pace.Egress.FirstDay = pace.Unlimited
	if s.part.Provider == "" {
		h.Domain, h.Open, h.Silent, h.Silence = smallDomain, opening+lookedUp, silent, silence
		p.Sessions, p.Concurrency = maxSessions/thinned, concurrency/thinned
		return h, p, nil
	}
	table, ok := provider.PacingOf(s.part.Provider)
	if !ok {
		return h, p, fmt.Errorf("plan: %q is not a provider", s.part.Provider)
	}
	h.Provider = table
	if s.without != "" {
		p.Pace.Providers = map[string]pace.Limits{s.part.Provider: lifted[s.without]}
	}
	return h, p, nil
}

// Answer is how long a list takes.
type Answer struct {
	Took time.Duration
	Last string // the provider whose addresses are done last
}

// Simulate returns how long a list takes through so many egresses of one
// process. Its providers are asked side by side, and what is at one takes as
// long as the egress that has most of its networks.
func Simulate(mix Mix, addresses, egresses int, preset pace.Preset) (Answer, error) {
	var answer Answer
	small := Part{Share: 1}
	for _, part := range mix.Parts {
		small.Share -= part.Share
	}
	for _, part := range append(slices.Clone(mix.Parts), small) {
		s := situation{part: part, preset: preset}
		n := part.Share * float64(addresses)
		if part.Networks > 0 {
			s.networks = forecast.Busiest(part.Networks, egresses)
			n *= float64(s.networks) / float64(part.Networks)
		}
		r, err := s.rate()
		if err != nil {
			return Answer{}, err
		}
		if took := s.lasts(n, r); took > answer.Took {
			answer = Answer{took, cmp.Or(part.Provider, rest)}
		}
	}
	return answer, nil
}

// lasts returns how long so many addresses take at a rate: on each day one
// egress names no more at a provider than its budget.
func (s situation) lasts(addresses float64, r forecast.Rate) time.Duration {
	const day = 24 * time.Hour
	first, each := pace.Settings{Preset: s.preset}.WithDefaults().Egress.FirstDay, r.Recipients/r.Addresses
	for today := 0; ; today++ {
		done := r.Addresses * day.Minutes()
		if first > 0 && s.part.Provider != "" {
			done = min(done, float64(pace.ForLists(first<<min(today, 40)))/each)
		}
		if addresses <= done {
			return time.Duration(today)*day + time.Duration(math.Ceil(addresses/r.Addresses))*time.Minute
		}
		addresses -= done
	}
}
