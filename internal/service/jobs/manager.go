package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
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
	// Keep is how long a job is kept. Default: that of [rows.Retention].
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
//
// What it does with them is decided by a [schedule.State], which is a value.
// The Manager is its shell: it tells the plan what happens, and does what the
// plan says.
type Manager struct {
	config  Config
	node    string // random: this process among the nodes
	retries bulk.RetryRules
	rate    rate
	network network

	mu     sync.Mutex
	plan   *schedule.State // nil before Run
	joined time.Time
	timer  *time.Timer // of the plan
	wakes  time.Time   // when it fires
	done   chan struct{}
	works  sync.WaitGroup // what the actions of the plan have begun
	calls  callContexts

	active map[string]rows.Job // that may have something to ask, as last read
	runs   map[schedule.RunID]*run
	sent   map[int64]*sending        // settlements that are not committed
	meters map[string]*headway.Meter // of the active jobs
	paced  map[string]string         // provider by domain

	uploads, outputs *places
	counted          counted
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
	config.Keep = cmp.Or(config.Keep, rows.DefaultRetention.Lists)
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
	return &Manager{
		config: config, node: rand.Text(), retries: bulk.NewRetryRules(config.RetryWindow),
		runs: make(map[schedule.RunID]*run), sent: make(map[int64]*sending), paced: make(map[string]string),
		done: make(chan struct{}), network: network{ask: config.Network},
		uploads: newPlaces("lists that are being sent", mostUploads, ownUploads),
		outputs: newPlaces("results that are being read", mostOutputs, ownOutputs),
	}, nil
}

// Join announces this node. Call it before requests are served; [Manager.Run]
// goes on with it.
func (m *Manager) Join(ctx context.Context) error {
	began := time.Now()
	err := m.config.Store.JoinJobs(ctx, m.node, m.config.Egress, m.config.Now().Add(m.config.Lease))
	if err == nil {
		m.mu.Lock()
		m.joined = began
		m.mu.Unlock()
	}
	return err
}

// Run works on jobs until ctx ends. Then it commits what is done and gives the
// rest back.
func (m *Manager) Run(ctx context.Context) {
	defer m.begin(ctx)()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	ends := ctx.Done()
	network := func() { m.handle(schedule.Network{Down: m.network.down(m.config.Now())}) }
	for network(); ; {
		select {
		case <-poll.C:
			network()
		case <-m.timer.C:
			m.fired()
		case <-m.config.Store.JobsChanged():
			m.handle(schedule.Changed{})
		case <-ends:
			ends = nil
			m.handle(schedule.Shut{})
		case <-m.done:
			return
		}
	}
}

// begin begins the plan. Call end when it is done.
func (m *Manager) begin(ctx context.Context) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if m.joined.IsZero() {
		m.joined = now
	}
	m.calls = newCallContexts(ctx)
	m.timer, m.wakes = time.NewTimer(pollEvery), now.Add(pollEvery)
	m.plan = schedule.New(schedule.Config{
		Concurrency: m.config.Concurrency, Window: m.config.Window, Batch: batchAddresses,
		Runs: maxRuns, Lease: m.config.Lease,
	}, m.joined)
	return func() {
		m.timer.Stop()
		m.calls.abort()
		m.await(endWithin)
	}
}

// endWithin is how long what the actions have begun is waited for when the plan
// is done. A store that does not heed contexts may keep it.
const endWithin = time.Second

func (m *Manager) await(limit time.Duration) {
	ended := make(chan struct{})
	go func() { defer close(ended); m.works.Wait() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// handle tells the plan what has happened, and does what it says.
func (m *Manager) handle(e schedule.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.happened(e)
}

// happened is handle for callers that have locked m.mu.
func (m *Manager) happened(e schedule.Event) {
	if m.plan == nil {
		return
	}
	for _, a := range m.plan.Handle(time.Now(), e) {
		m.perform(a)
	}
	if next := m.plan.Next(); !next.IsZero() && (m.wakes.IsZero() || next.Before(m.wakes)) {
		m.wakes = next
		m.timer.Reset(time.Until(next))
	}
}

// fired is called when the timer has fired.
func (m *Manager) fired() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wakes = time.Time{}
	m.happened(schedule.Tick{})
}

// Fault returns why this node does not work on jobs although its database is
// there; nil: it does. The node is no longer announced then, and others take
// its batches.
func (m *Manager) Fault() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plan == nil {
		return nil
	}
	what, since := m.plan.Fault(time.Now())
	at := since.UTC().Format(time.RFC3339)
	switch {
	case since.IsZero():
		return nil
	case what == schedule.Commit:
		return fmt.Errorf("results of jobs are on their way to the database since %v", at)
	}
	return fmt.Errorf("jobs stand still since %v", at)
}

// stopRun stops the run of a job, and returns when it has ended. It waits for
// no longer than [schedule.StopWithin].
func (m *Manager) stopRun(ctx context.Context, job string) {
	m.mu.Lock()
	r := m.runOf(job)
	m.happened(schedule.Stop{List: job})
	m.mu.Unlock()
	if r == nil {
		return
	}
	limit := time.NewTimer(schedule.StopWithin)
	defer limit.Stop()
	select {
	case <-r.gone:
	case <-ctx.Done():
	case <-limit.C:
		m.config.Log.Warn("a job takes long to stop", "job", job, "waited", schedule.StopWithin)
	}
}

// runOf is the run of a job; nil: it has none. The caller has locked m.mu.
func (m *Manager) runOf(job string) *run {
	for _, r := range m.runs {
		if r.job.ID == job {
			return r
		}
	}
	return nil
}
