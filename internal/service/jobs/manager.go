package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
)

// defaultConcurrency is that of package bulk.
const defaultConcurrency = 500

// Config configures a [Manager].
type Config struct {
	// Store keeps the jobs. Required.
	Store Store
	// Verifier verifies the addresses. Required.
	Verifier bulk.Verifier
	// Lists are those by which results of other services get their flags.
	// Default: the embedded ones.
	Lists func() *lists.Lists
	// Egress names from where this node asks mail hosts, because one that
	// greylists knows a client by its address. Default: all nodes are the same.
	Egress string
	// Concurrency is how many verifications are in progress at a time, as in
	// [bulk.Options]; the jobs share them. Default: 500.
	Concurrency int
	// Window is how many addresses of a job this node has at a time. Default:
	// [DefaultWindow].
	Window int
	// RetryWindow is how long temporary answers are retried. Default:
	// [DefaultRetryWindow]; less than zero: not at all.
	RetryWindow time.Duration
	// Keep is how long a job is kept. Default: [Keep].
	Keep time.Duration
	// Lease is how long a node may be silent before others take its batches. It
	// says six times as often that it is alive. Default: [DefaultLease]; at
	// least a second.
	Lease time.Duration
	// Pacing says how this node asks providers, and Paced which provider is
	// asked about a domain, as [engine.Verifier] does. Default: nothing is said
	// of providers for which addresses wait.
	Pacing func() []smtpprobe.ProviderPace
	Paced  func(domain string) string
	// Network says what does not work of this node's own network. Meanwhile it
	// asks nobody, and RetryWindow stands still. It must be quick. Default: the
	// network always works.
	Network func() headway.Fault
	// Limits bound a list.
	Limits Limits
	// TempDir is where lists are while they are read. Default: that of the
	// system.
	TempDir string
	// Record is called for each address that has got its result, to count the
	// usage of the key. Default: none.
	Record func(rows.Use)
	// Log receives failures. Default: silent.
	Log *slog.Logger
	// Now is the clock. Default: [time.Now].
	Now func() time.Time
}

// Defaults of a [Config].
const (
	// DefaultWindow is enough that many hosts are busy.
	DefaultWindow = 8000
	// DefaultRetryWindow is that of rcpt bulk.
	DefaultRetryWindow = 30 * time.Minute
	// DefaultLease is more than a node is busy or without its database for in
	// usual operation.
	DefaultLease = 30 * time.Second
)

// Manager has the jobs of an installation, and works on them while Run runs. It
// is safe for concurrent use.
type Manager struct {
	config  Config
	node    string // random: this process among the nodes
	retries bulk.RetryRules
	settler *settler
	rate    rate
	network network

	mu     sync.Mutex
	runs   map[string]*run
	of     map[string]int            // runs by owner
	due    map[string]time.Time      // when jobs without a run have a batch again
	beaten time.Time                 // when the store last knew that this node is alive
	meters map[string]*headway.Meter // of the jobs that may have something to ask
	paced  map[string]string         // provider by domain
	turned time.Time                 // when the schedule last went on; zero: it does not run

	uploads, outputs *places
	counted          counted

	doubted map[string]bool // jobs of which this node may have batches that it does not know of
}

// New returns a Manager. Call [Manager.Join] before lists arrive, and
// [Manager.Run].
func New(config Config) (*Manager, error) {
	if config.Store == nil || config.Verifier == nil {
		return nil, errors.New("jobs: a store and a verifier are required")
	}
	config.Concurrency = cmp.Or(config.Concurrency, defaultConcurrency)
	config.Window = cmp.Or(config.Window, DefaultWindow)
	config.RetryWindow = max(0, cmp.Or(config.RetryWindow, DefaultRetryWindow))
	config.Keep = cmp.Or(config.Keep, Keep)
	config.Lease = max(time.Second, cmp.Or(config.Lease, DefaultLease))
	config.Limits.Octets = cmp.Or(config.Limits.Octets, DefaultOctets)
	config.Limits.Rows = cmp.Or(config.Limits.Rows, DefaultRows)
	config.Limits.Columns = cmp.Or(config.Limits.Columns, DefaultColumns)
	config.Limits.Stored = cmp.Or(config.Limits.Stored, DefaultStored)
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	m := &Manager{
		config: config, node: rand.Text(), retries: bulk.NewRetryRules(config.RetryWindow),
		runs: make(map[string]*run), of: make(map[string]int), due: make(map[string]time.Time),
		doubted: make(map[string]bool), paced: make(map[string]string), network: network{ask: config.Network},
		uploads: newPlaces("lists that are being sent", mostUploads, ownUploads),
		outputs: newPlaces("results that are being read", mostOutputs, ownOutputs),
	}
	m.settler = newSettler(m)
	return m, nil
}

// Join announces this node. Call it before requests are served; [Manager.Run]
// goes on with it.
func (m *Manager) Join(ctx context.Context) error {
	began := m.config.Now()
	err := m.config.Store.JoinJobs(ctx, m.node, m.config.Egress, began.Add(m.config.Lease))
	if err == nil {
		m.mu.Lock()
		m.beaten = began
		m.mu.Unlock()
	}
	return err
}

// Run works on jobs until ctx ends. Then it commits what is done and gives the
// rest back.
func (m *Manager) Run(ctx context.Context) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	var settling sync.WaitGroup
	settling.Go(m.settler.run)
	var beating sync.WaitGroup
	beating.Go(func() { m.beat(working) })
	m.schedule(working)
	stop()
	done := m.settler.hurry(stopWithin)
	defer done()
	m.stopRuns(context.WithoutCancel(ctx), func(*run) bool { return true })
	m.settler.close()
	settling.Wait()
	beating.Wait()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if err := m.config.Store.LeaveJobs(leaving, m.node); err != nil {
		m.config.Log.Warn(
			"batches of jobs are not given back: other nodes take them when this one is given up for lost",
			"error", err)
	}
}

const (
	// stopWithin is how long the end of runs is waited for, with what they have
	// found.
	stopWithin = 5 * time.Second
	// leaveTimeout bounds the last thing that a node does with the store.
	leaveTimeout = 2 * time.Second
)

// beat says that this node is alive, unless it stands still. If the store does
// not hear it for as long as a lease, others may have taken its batches: they
// are not asked about any more.
func (m *Manager) beat(ctx context.Context) {
	ticker := time.NewTicker(m.config.Lease / 6)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := m.Fault()
		if err == nil {
			err = m.Join(ctx)
		}
		if err != nil && !failing && ctx.Err() == nil {
			m.config.Log.Error("this node is no longer announced: others take its share of the jobs", "error", err)
		}
		failing = err != nil
		m.mu.Lock()
		silent := m.config.Now().Sub(m.beaten) >= m.config.Lease
		m.mu.Unlock()
		if silent {
			m.tell(func(*run) bool { return true })
		}
	}
}

// schedule begins and ends runs, until ctx ends.
func (m *Manager) schedule(ctx context.Context) {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	failing := false
	defer m.turn(time.Time{})
	for ctx.Err() == nil {
		m.turn(time.Now())
		err := m.poll(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			m.config.Log.Error("jobs wait for the store", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-m.config.Store.JobsChanged():
		case <-ticker.C:
		}
	}
}

// poll compares the runs with the jobs that may have something to ask.
func (m *Manager) poll(ctx context.Context) error {
	if paused, err := m.config.Store.PauseOrphans(ctx); err != nil {
		return err
	} else if paused > 0 {
		m.config.Log.Warn("jobs are paused: their keys were revoked or have expired", "jobs", paused)
	}
	jobs, err := m.config.Store.JobStates(ctx)
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		wanted[j.ID] = true
	}
	m.measure(jobs)
	m.stopRuns(ctx, func(r *run) bool { return !wanted[r.job.ID] })
	down := m.network.down(m.config.Now())
	if down {
		m.tell(func(*run) bool { return true })
	}
	m.abandonStuck()
	m.turn(time.Now())
	if err := m.freeUnknownOfEnded(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	for id := range m.due {
		if !wanted[id] {
			delete(m.due, id)
		}
	}
	m.mu.Unlock()
	if down {
		return nil
	}
	for _, j := range jobs {
		if err := m.begin(ctx, j); err != nil {
			return err
		}
		m.turn(time.Now())
	}
	return nil
}

// begin begins a run for a job that has a batch and no run. Beyond maxRuns only
// owners without one get it.
func (m *Manager) begin(ctx context.Context, j rows.Job) error {
	now := m.config.Now()
	m.mu.Lock()
	due, known := m.due[j.ID]
	waits := m.runs[j.ID] != nil || len(m.runs) >= maxRuns && m.of[j.Owner] > 0
	m.mu.Unlock()
	if waits || known && now.Before(due) {
		return nil
	}
	due, err := m.config.Store.NextBatch(ctx, j.ID, m.config.Egress)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if due.IsZero() || due.After(now) {
		again := now.Add(m.config.Lease / 3) // the batches of a node that is lost come back at any time
		if due.IsZero() || due.After(again) {
			due = again
		}
		m.due[j.ID] = due
		return nil
	}
	delete(m.due, j.ID)
	r := newRun(m, j)
	m.runs[j.ID] = r
	m.of[j.Owner]++
	m.share()
	go func() {
		defer close(r.ended)
		r.work(context.WithoutCancel(ctx))
		m.mu.Lock()
		m.remove(r)
		m.mu.Unlock()
	}()
	return nil
}

// remove removes a run, once. The caller has locked m.mu.
func (m *Manager) remove(r *run) {
	if m.runs[r.job.ID] == r {
		delete(m.runs, r.job.ID)
		if m.of[r.job.Owner]--; m.of[r.job.Owner] == 0 {
			delete(m.of, r.job.Owner)
		}
		m.share()
	}
}

// tell stops runs without waiting for them.
func (m *Manager) tell(which func(*run) bool) (told []*run) {
	m.mu.Lock()
	for _, r := range m.runs {
		if which(r) {
			told = append(told, r)
		}
	}
	m.mu.Unlock()
	for _, r := range told {
		r.stop()
	}
	return told
}

// stopRuns stops runs at once, and returns when they have ended. It waits for
// no longer than stopWithin.
func (m *Manager) stopRuns(ctx context.Context, which func(*run) bool) {
	limit := time.NewTimer(stopWithin)
	defer limit.Stop()
	for _, r := range m.tell(which) {
		select {
		case <-r.ended:
		case <-ctx.Done():
			return
		case <-limit.C:
			m.config.Log.Warn("a job takes long to stop", "job", r.job.ID, "waited", stopWithin)
			return
		}
	}
}

// share says how many verifications each run may have in progress: owners have
// the same, and so have the runs of one. The caller has locked m.mu.
func (m *Manager) share() {
	const least = 20 // so that many jobs do not hold each other up
	for _, r := range m.runs {
		r.room.Store(int64(max(least, m.config.Concurrency/(len(m.of)*m.of[r.job.Owner]))))
	}
}
