package store

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Options say where the state is kept.
type Options struct {
	// DataDir is the folder of the embedded database. It is created if it does
	// not exist. Not used with DatabaseURL.
	DataDir string
	// DatabaseURL is a PostgreSQL database, as
	// postgres://user:password@host/name. Empty: SQLite in DataDir.
	DatabaseURL string
	// Beside opens a data folder that another process has locked, for commands
	// that read or change a little and end. The schema must be the one that
	// this program knows. PostgreSQL does not need it.
	Beside bool
	// MustExist refuses to create an embedded database.
	MustExist bool
	// Verdicts is how many verdicts are kept, about; of more, those that expire
	// first are deleted. 0: no limit.
	Verdicts int64
	// Retention is how long everything is kept.
	Retention rows.Retention
	// Log receives failures in the background. Nil is silent.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Store is the state of one installation. It is safe for concurrent use.
type Store struct {
	db      *database
	log     *slog.Logger
	now     func() time.Time
	salt    []byte // of the hashes of addresses
	queue   *queue
	writer  string // random: this process among the writers of the database
	changed signal
	events  atomic.Uint32 // how many this process has recorded
	jobWake chan struct{} // has something after a change of jobs

	reservations *reservations

	maxRechecks int   // smaller in tests
	maxVerdicts int64 // 0: no limit
	retention   rows.Retention
	stop        context.CancelFunc
	routines    sync.WaitGroup
}

// Open opens the database, brings its schema up to date and begins to write
// what is queued.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	db, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		db: db, log: o.Log, now: o.Now, queue: newQueue(), writer: rand.Text(), jobWake: make(chan struct{}, 1), maxVerdicts: o.Verdicts,
		reservations: newReservations(), maxRechecks: maxRechecks,
		retention: o.Retention.WithDefaults(),
	}
	if err := s.prepare(ctx, o); err != nil {
		_ = db.close()
		return nil, err
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.routines.Go(func() { s.flushNowAndThen(background) })
	if !o.Beside {
		s.routines.Go(func() { s.purgeNowAndThen(background) })
	}
	s.routines.Go(func() { s.checkPages(background) })
	return s, nil
}

func (s *Store) prepare(ctx context.Context, o Options) error {
	if err := s.db.migrate(ctx, s.now()); err != nil {
		return err
	}
	if err := s.takeOverWebhooks(ctx); err != nil {
		return err
	}
	return s.loadSalt(ctx)
}

// Close commits what is queued and closes the database. It takes opTimeout and
// closeTimeout at most.
func (s *Store) Close() error {
	s.stop()
	s.routines.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.Flush(ctx)
	if closed := s.db.close(); err == nil {
		err = s.db.failed("close", closed)
	}
	return err
}

// Ping returns an error if the database does not answer, or if its file was
// deleted or replaced.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.db.stillThere(); err != nil {
		return err
	}
	_, err := s.Versions(ctx)
	return err
}

// Engine is "sqlite" or "postgresql".
func (s *Store) Engine() string { return s.db.name }

// Stats are counters and gauges for monitoring.
type Stats struct {
	Queued     int           // small writes that wait for the next commit
	Dropped    int64         // small writes that found the queue full
	Commits    int64         // commits of the queue
	Failures   int64         // commits of the queue that failed; their batch is tried again
	LastCommit time.Duration // how long the last commit of the queue took
	InUse      int           // connections in use
	Open       int           // connections open
}

// Stats returns the figures of this process since it opened the store.
func (s *Store) Stats() Stats {
	stats := s.queue.stats()
	for _, pool := range s.db.pools() {
		stats.InUse += pool.Stats().InUse
		stats.Open += pool.Stats().OpenConnections
	}
	return stats
}
