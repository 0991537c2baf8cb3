package pace

import "slices"

// A pause needs something that is about us at the provider, and not the policy
// of one of its customers. How likely a refusal in one more domain is to be
// that, in points of a pause, as long as nobody gets an answer:
const (
	pausePoints = 60
	// earlyPoints are for a refusal before RCPT: five domains make a pause. The
	// provider does not know yet whom it is about, but a large customer may
	// have a mail host to itself.
	earlyPoints = 12
	// answeredPoints are for one at RCPT in a domain that answered us before:
	// three of them. Something has changed.
	answeredPoints = 20
	// otherPoints are for one at RCPT in any other domain: twenty in a row, of
	// which not one answers. Fewer may be customers with policies of their own.
	otherPoints = 3
	// againPoints are for a further early one in the same domain: it may be the
	// only one there.
	againPoints = 1
)

// maxGood is how many domains that answered are remembered, and how many that
// led to pauses.
const maxGood = 64

// suspicion weighs refusals.
type suspicion struct {
	points  int
	domains []string // that refused us since the last answer or pause
	good    []string // that answered, the last one last
	held    []string // that refused us before the last pause; none once somebody has answered
}

// answered notes an answer in a domain.
func (s *suspicion) answered(domain string) {
	s.points, s.domains, s.held = 0, nil, nil
	if len(s.good) > 0 && s.good[len(s.good)-1] == domain {
		return
	}
	if slices.Contains(s.good, domain) {
		return
	}
	if len(s.good) == maxGood {
		s.good = slices.Delete(s.good, 0, 1)
	}
	s.good = append(s.good, domain)
}

// blocked notes a refusal in a domain, and reports whether it is time to pause:
// after a pause, one in a domain that led to it is enough.
func (s *suspicion) blocked(domain string, early bool) bool {
	known := slices.Contains(s.domains, domain)
	switch {
	case known && early:
		s.points += againPoints
	case known:
	case early:
		s.points += earlyPoints
	case slices.Contains(s.good, domain):
		s.points += answeredPoints
	default:
		s.points += otherPoints
	}
	if !known {
		s.domains = append(s.domains, domain)
	}
	return s.points >= pausePoints || slices.Contains(s.held, domain)
}

// paused begins anew.
func (s *suspicion) paused() {
	for _, domain := range s.domains {
		if !slices.Contains(s.held, domain) && len(s.held) < maxGood {
			s.held = append(s.held, domain)
		}
	}
	s.points, s.domains = 0, nil
}
