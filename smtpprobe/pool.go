//go:build !plan

package smtpprobe

import (
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// Pool asks mail hosts whether they take mail for a recipient. It keeps the
// sessions for the next recipients of the same host, and names several at a
// time. It is safe for concurrent use.
type Pool struct {
	config Config
	slots  *semaphore.Weighted // of sessions in all
	// listSlots are those that lists may have.
	listSlots *semaphore.Weighted
	ready     sync.Once // the classifier is being prepared

	workers   sync.WaitGroup
	mu        sync.Mutex // guards what follows, and the mail hosts
	hosts     map[hostKey]*mailHost
	idle      []*worker // the one that has been so for longest first
	starving  int       // workers to be that wait for a slot
	swept     int       // hosts that the last sweep has left
	closing   bool
	domains   domainBook
	proofs    proofBook
	providers providerBook
	egresses  *egresses.Set
	queued    map[*egresses.Egress][]*paced // providers that wait for a session of an egress
	memory    map[memoryKey]pace.Memory     // of an earlier pool, until it is taken over

	sweptProviders int // providers that the last sweep has left
}

// New returns a Pool. Close it when done, so that its sessions end with QUIT.
func New(c Config) (*Pool, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	p := &Pool{
		config: c, slots: semaphore.NewWeighted(int64(c.MaxSessions)),
		listSlots: semaphore.NewWeighted(int64(pace.ForLists(c.MaxSessions))),
		hosts:     make(map[hostKey]*mailHost), domains: make(domainBook), proofs: make(proofBook),
		providers: make(providerBook),
		memory:    make(map[memoryKey]pace.Memory),
		egresses:  egresses.NewSet(c.Egresses, c.Routes, c.Pace), queued: make(map[*egresses.Egress][]*paced),
	}
	p.remember(c.PaceMemory)
	return p, nil
}

// Close ends the sessions: idle ones with QUIT at once, the others after the
// questions under way. A host has the time of the QUIT timeout for that. Probes
// that wait get [ErrClosed].
func (p *Pool) Close() error {
	p.Abandon()
	p.workers.Wait()
	return nil
}

// Abandon is Close without the wait for the sessions to end.
func (p *Pool) Abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
	for len(p.idle) > 0 {
		p.retire(p.idle[0])
	}
	for _, h := range p.hosts {
		h.closeQueue()
	}
}
