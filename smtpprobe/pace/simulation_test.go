package pace

import (
	"fmt"
	"testing"
	"time"
)

// simulated is a provider that tolerates so many sessions, complains about
// more, and blocks a client that goes on for too long.
type simulated struct {
	tolerates  int
	perMinute  int // recipients; zero: any number
	blocksAt   int // complaints within a minute; zero: it never blocks
	blocksFor  time.Duration
	sessions   int
	complained []time.Time
	heard      []time.Time
	until      time.Time // it blocks us

	complaints, blocks, answers int
}

// opens is what the greeting of another session says.
func (s *simulated) opens(now time.Time) (class Trouble) {
	switch {
	case now.Before(s.until):
		return Blocked
	case s.sessions > s.tolerates:
		return s.complain(now)
	}
	return ""
}

func (s *simulated) complain(now time.Time) Trouble {
	s.complaints++
	s.complained = recent(append(s.complained, now), now)
	if s.blocksAt > 0 && len(s.complained) >= s.blocksAt {
		s.until = now.Add(s.blocksFor)
		s.complained = nil
		s.blocks++
	}
	return RateLimited
}

// hears is the answer about a recipient.
func (s *simulated) hears(now time.Time) Trouble {
	if s.perMinute > 0 {
		if s.heard = recent(s.heard, now); len(s.heard) >= s.perMinute {
			return s.complain(now)
		}
		s.heard = append(s.heard, now)
	}
	s.answers++
	return ""
}

func recent(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= time.Minute {
		times = times[1:]
	}
	return times
}

// simulate asks a simulated provider for some time: each session names a
// recipient in a tick, and ends after twenty. It returns how many answers there
// were, and complaints, by the minute.
func simulate(p *Provider, s *simulated, length time.Duration) (answers, complaints []int) {
	const tick = 200 * time.Millisecond
	type session struct {
		began time.Time
		named int
	}
	var open []session
	n := 0
	for now := start; now.Sub(start) < length; now = now.Add(tick) {
		if minute := int(now.Sub(start) / time.Minute); minute == len(answers) {
			answers, complaints = append(answers, 0), append(complaints, 0)
		}
		last := len(answers) - 1
		answersBefore, complaintsBefore := s.answers, s.complaints
		for {
			if ok, _ := p.MayOpen(now, false); !ok {
				break
			}
			p.Opened(now)
			s.sessions++
			if trouble := s.opens(now); trouble != "" {
				n++
				tell(p, trouble, domain(n%100), now, now)
				p.Closed()
				s.sessions--
				continue
			}
			open = append(open, session{began: now})
		}
		rest := open[:0]
		for _, o := range open {
			if p.MayName(o.named, now, false) < LeastNamed || o.named >= 20 {
				p.Closed()
				s.sessions--
				continue
			}
			n++
			p.Named(1, now)
			tell(p, s.hears(now), domain(n%100), o.began, now)
			o.named++
			rest = append(rest, o)
		}
		open = rest
		answers[last] += s.answers - answersBefore
		complaints[last] += s.complaints - complaintsBefore
	}
	return answers, complaints
}

func tell(p *Provider, trouble Trouble, domain string, began, now time.Time) {
	switch trouble {
	case Blocked:
		p.Blocked(domain, true, 550, now)
	case RateLimited:
		p.RateLimited(began, now)
	default:
		p.Answered(domain)
	}
}

func sum(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// TestSimulation checks that the pace converges below what a provider
// tolerates, recovers, and does not oscillate into a block.
func TestSimulation(t *testing.T) {
	for _, tt := range []struct {
		name     string
		provider simulated
		least    int // answers a minute from the tenth on
	}{
		{"tolerates all", simulated{tolerates: 100}, 2500},
		{"tolerates ten", simulated{tolerates: 10, blocksAt: 20, blocksFor: 10 * time.Minute}, 2500},
		{"tolerates five", simulated{tolerates: 5, blocksAt: 20, blocksFor: 10 * time.Minute}, 1000},
		{"tolerates two", simulated{tolerates: 2, blocksAt: 20, blocksFor: 10 * time.Minute}, 250},
		{"tolerates one", simulated{tolerates: 1, blocksAt: 20, blocksFor: 10 * time.Minute}, 120},
		{"throttles", simulated{tolerates: 100, perMinute: 300}, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvider(Limits{Sessions: 10}, Settings{})
			provider := tt.provider
			answers, complaints := simulate(p, &provider, 50*time.Minute)
			t.Logf("answers a minute %v, complaints a minute %v", answers, complaints)
			if provider.blocks > 0 {
				t.Errorf("it was driven into %d blocks", provider.blocks)
			}
			for minute := 10; minute < len(answers); minute++ {
				if answers[minute] < tt.least {
					t.Errorf("minute %d has %d answers, want %d", minute, answers[minute], tt.least)
				}
			}
			if tt.provider.perMinute == 0 && sum(complaints[5:]) > 0 {
				t.Errorf("%d complaints after the first five minutes", sum(complaints[5:]))
			}
		})
	}
}

// TestSimulatedBlock checks that pauses grow with a provider that blocks us
// from the start, and that it is asked as usual when it stops.
func TestSimulatedBlock(t *testing.T) {
	p := newProvider(Limits{Sessions: 10}, Settings{})
	provider := &simulated{tolerates: 10, until: start.Add(3 * time.Hour)}
	answers, _ := simulate(p, provider, 5*time.Hour)
	opened := 0
	for i, n := range answers {
		if i < 180 {
			opened += n
		}
	}
	if opened > 0 || sum(answers[180:245]) > 0 && sum(answers[290:]) == 0 || sum(answers[260:]) == 0 {
		t.Error(fmt.Sprint("answers a minute: ", answers))
	}
	if last := answers[len(answers)-1]; last < 2000 {
		t.Errorf("in the end %d answers a minute", last)
	}
}
