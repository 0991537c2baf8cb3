package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Admission is the number of verifications that run and wait.
type Admission struct {
	Running int // verifications in progress
	Waiting int // requests that wait until one of them ends
	Limit   int // most verifications in progress
}

// Cache counts the lookups of remembered verdicts since the start.
type Cache struct {
	Hits      int64 // answered from memory
	StoreHits int64 // answered from the store
	Misses    int64 // answered by neither
	Entries   int   // verdicts in memory
}

// Rechecks counts the re-checks of greylisted addresses since the start.
type Rechecks struct {
	Waiting int   // not due yet
	Done    int64 // got a final reply
	GivenUp int64 // deferred too often or too long
	Dropped int64 // not queued because too many waited
}

// Store is the state of the database, since the start. Its fields are those of
// store.Stats, so that one converts into the other.
type Store struct {
	Queued     int           // small writes that wait for the next commit
	Dropped    int64         // small writes that were lost because the queue was full
	Commits    int64         // commits of the queue
	Failures   int64         // commits of the queue that failed
	LastCommit time.Duration // how long the last commit of the queue took
	InUse      int           // connections in use
	Open       int           // connections open
}

// Keys are the API keys that this process knows.
type Keys struct {
	Usable int           // neither revoked nor expired
	Age    time.Duration // since they were last read from the store
}

// Doctor counts the checks of the last examination of the network by state: ok,
// warning, fault or skipped. Nil: before the first one.
type Doctor map[string]int

// sources returns the collectors of the sources that are configured.
func (c *Config) sources() []prometheus.Collector {
	var all []prometheus.Collector
	all = watch(all, c.Engine, engineFigures())
	all = watch(all, c.Pacing, paceFigures())
	all = watch(all, c.Egresses, egressFigures)
	all = watch(all, c.Admission, admissionFigures)
	all = watch(all, c.Cache, cacheFigures)
	all = watch(all, c.Rechecks, recheckFigures)
	all = watch(all, c.Store, storeFigures)
	all = watch(all, c.Doctor, doctorFigures)
	return watch(all, c.Keys, keyFigures)
}

func watch[T any](all []prometheus.Collector, read func() T, figures []figure[T]) []prometheus.Collector {
	if read == nil {
		return all
	}
	return append(all, &source[T]{read, figures})
}

var admissionFigures = []figure[Admission]{
	gauge("rcpt_admission_running", "Verifications in progress for clients.", func(a Admission) float64 { return float64(a.Running) }),
	gauge("rcpt_admission_waiting", "Requests that wait until a verification ends.", func(a Admission) float64 { return float64(a.Waiting) }),
	gauge("rcpt_admission_limit", "Limit of verifications in progress.", func(a Admission) float64 { return float64(a.Limit) }),
}

var cacheFigures = []figure[Cache]{
	labelled(prometheus.CounterValue, "rcpt_cache_hits_total", "Lookups that found a remembered verdict, by where it was found.", []string{"layer"},
		func(c Cache, show func(float64, ...string)) {
			show(float64(c.Hits), "memory")
			show(float64(c.StoreHits), "store")
		}),
	counter("rcpt_cache_misses_total", "Lookups that found no remembered verdict.", func(c Cache) float64 { return float64(c.Misses) }),
	gauge("rcpt_cache_entries", "Verdicts in memory.", func(c Cache) float64 { return float64(c.Entries) }),
}

var recheckFigures = []figure[Rechecks]{
	gauge("rcpt_rechecks_waiting", "Greylisted addresses that wait for a re-check.", func(r Rechecks) float64 { return float64(r.Waiting) }),
	labelled(prometheus.CounterValue, "rcpt_rechecks_total", "Re-checks that ended, by outcome.", []string{"outcome"},
		func(r Rechecks, show func(float64, ...string)) {
			show(float64(r.Done), "done")
			show(float64(r.GivenUp), "given_up")
			show(float64(r.Dropped), "dropped")
		}),
}

var storeFigures = []figure[Store]{
	gauge("rcpt_store_queued_writes", "Small writes that wait for the next commit.", func(s Store) float64 { return float64(s.Queued) }),
	counter("rcpt_store_dropped_writes_total", "Small writes that were lost because the queue was full.", func(s Store) float64 { return float64(s.Dropped) }),
	counter("rcpt_store_commits_total", "Commits of small writes.", func(s Store) float64 { return float64(s.Commits) }),
	counter("rcpt_store_commit_failures_total", "Commits of small writes that failed; their writes are retried.",
		func(s Store) float64 { return float64(s.Failures) }),
	gauge("rcpt_store_last_commit_seconds", "Duration of the last commit of small writes in seconds.", func(s Store) float64 { return s.LastCommit.Seconds() }),
	gauge("rcpt_store_connections_in_use", "Connections to the database that are in use.", func(s Store) float64 { return float64(s.InUse) }),
	gauge("rcpt_store_connections_open", "Connections to the database.", func(s Store) float64 { return float64(s.Open) }),
}

var doctorFigures = []figure[Doctor]{
	labelled(prometheus.GaugeValue, "rcpt_doctor_checks", "Checks of the last examination of the network, by state; verdicts suffer from those with a fault.",
		[]string{"state"}, func(d Doctor, show func(float64, ...string)) {
			for state, n := range d {
				show(float64(n), state)
			}
		}),
}

var keyFigures = []figure[Keys]{
	gauge("rcpt_keys", "API keys that can be used.", func(k Keys) float64 { return float64(k.Usable) }),
	gauge("rcpt_keys_age_seconds", "Seconds since the keys were last read from the store; about one, unless the store cannot be reached.",
		func(k Keys) float64 { return k.Age.Seconds() }),
}
