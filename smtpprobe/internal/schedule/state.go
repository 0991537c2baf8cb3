package schedule

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// State is all that is known of jobs, sessions, mail hosts, providers and
// egresses. It is not safe for concurrent use.
type State struct {
	config  Config
	now     time.Time // of the event
	actions []Action

	jobs      map[JobID]*job
	sessions  map[SessionID]*session
	callers   map[CallerID]*caller
	hosts     map[hostKey]*host
	providers map[providerKey]*provider
	egresses  egressSet
	memory    map[memoryKey]pace.Memory // of an earlier plan, until it is taken over
	troubled  map[string]bool           // names of providers that were paused
	proofs    book[proofKey, *proofs]
	controls  book[controlKey, control]

	tally   tally
	idle    []*session  // the one that has been so for longest first
	queued  waitingLine // for a session
	timers  timers
	touched fifo[*host] // to be looked at
	counted []*caller   // of which other jobs wait than before
	last    SessionID
	shut    bool

	sweptHosts, sweptProviders int // what the last sweep has left
}

// New returns a State that has asked nobody yet.
func New(c Config, all []Egress, routes map[string][]string) *State {
	s := &State{
		config: c, jobs: make(map[JobID]*job), sessions: make(map[SessionID]*session),
		callers: make(map[CallerID]*caller), hosts: make(map[hostKey]*host),
		providers: make(map[providerKey]*provider), memory: make(map[memoryKey]pace.Memory),
		troubled: make(map[string]bool),
		proofs:   book[proofKey, *proofs]{most: maxProofNotes},
		controls: book[controlKey, control]{most: maxDomainNotes},
	}
	s.remember(c.Memory)
	s.egresses.loyal.most = maxGreylisted
	s.egresses.replace(all, routes)
	return s
}

// Handle notes what has happened and returns what is to be done. The slice is
// valid until the next call.
func (s *State) Handle(now time.Time, e Event) []Action {
	s.now, s.actions = now, s.actions[:0]
	switch e := e.(type) {
	case Arrive:
		s.arrive(e.Jobs)
	case GiveUp:
		s.giveUp(e.Jobs)
	case CallerSet:
		s.caller(e.ID).most = e.Most
	case CallerEnds:
		s.callerEnds(e.ID)
	case Opened:
		s.opened(s.sessions[e.Session], e)
	case NotOpened:
		s.notOpened(s.sessions[e.Session], e)
	case Settled:
		s.settled(s.sessions[e.Session], e)
	case Lost:
		s.lost(s.sessions[e.Session])
	case Closed:
		s.closed(s.sessions[e.Session])
	case SetEgresses:
		s.setEgresses(e)
	case Shut:
		s.shutDown()
	case Tick:
	default:
		panic(fmt.Sprintf("schedule: no event: %T", e))
	}
	s.ring()
	s.lookAround()
	s.countWaits()
	return s.actions
}

// Next is when the plan is to be told that it is time; zero: never.
func (s *State) Next() time.Time { return s.timers.next() }

// do adds an action.
func (s *State) do(a Action) { s.actions = append(s.actions, a) }

// touch has a host looked at, once all is noted that has happened.
func (s *State) touch(h *host) {
	if !h.touched {
		h.touched = true
		s.touched.push(h)
	}
}

// lookAround looks at the hosts to which something has happened.
func (s *State) lookAround() {
	for s.touched.len() > 0 {
		h := s.touched.pop()
		h.touched = false
		s.look(h)
	}
}

// Way is the egress by which an address of a provider is asked that is no mail
// host; false: none leads there.
func (s *State) Way(now time.Time, provider string, addr netip.Addr) (EgressID, bool) {
	s.now = now
	e := s.choose(provider, addr, nil)
	if e == nil {
		return 0, false
	}
	return e.ID, true
}
