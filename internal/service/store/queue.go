package store

import (
	"sync"
	"time"
)

// Limits of a batch: some seconds of a busy server, and not the memory of the
// machine while the database is lost. At most two batches are in memory.
const (
	maxQueued       = 20_000   // of each kind
	maxQueuedOctets = 16 << 20 // of results
)

// queue collects small writes for the next commit. Writes to the same row are
// merged.
type queue struct {
	commit sync.Mutex    // held during a commit
	wake   chan struct{} // has something when the queue is not empty

	mu       sync.Mutex
	waiting  *batch
	writing  *batch // is being committed, or its commit failed and is tried again
	taken    int64  // how many batches have been taken
	counters Stats
}

// batch is a set of small writes. Its number tells the database which batch of
// this process it is: after a commit of unknown outcome the same batch is
// committed again, and counted once.
type batch struct {
	number   int64
	uses     map[useRow]useSum
	touched  map[string]millis
	verdicts map[Hash]Verdict
	rechecks map[Hash]Recheck
	octets   int // of the results of the verdicts
}

func newBatch() *batch {
	return &batch{
		uses: map[useRow]useSum{}, touched: map[string]millis{},
		verdicts: map[Hash]Verdict{}, rechecks: map[Hash]Recheck{},
	}
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), waiting: newBatch(), writing: newBatch()}
}

func (b *batch) len() int { return len(b.uses) + len(b.touched) + len(b.verdicts) + len(b.rechecks) }

// add puts one small write into the queue; put tells whether there was room.
func (q *queue) add(put func(*batch) bool) {
	q.mu.Lock()
	if !put(q.waiting) {
		q.counters.Dropped++
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) use(u Use) {
	row := rowOf(u)
	q.add(func(b *batch) bool { return b.addUse(row, useSum{1, u.Duration}) })
}

func (q *queue) touch(key string, at millis) {
	q.add(func(b *batch) bool { return b.addTouch(key, at) })
}

func (q *queue) putVerdict(hash Hash, v Verdict) {
	q.add(func(b *batch) bool { return len(v.Result) <= maxResult && b.addVerdict(hash, v) })
}

func (q *queue) recheck(r Recheck) { q.add(func(b *batch) bool { return b.addRecheck(r) }) }

// room tells whether one more may stand in a map.
func room[K comparable, V any](m map[K]V, key K) bool {
	_, known := m[key]
	return known || len(m) < maxQueued
}

func (b *batch) addUse(row useRow, sum useSum) bool {
	if !room(b.uses, row) {
		return false
	}
	has := b.uses[row]
	b.uses[row] = useSum{has.count + sum.count, has.duration + sum.duration}
	return true
}

func (b *batch) addTouch(key string, at millis) bool {
	if !room(b.touched, key) {
		return false
	}
	b.touched[key] = max(b.touched[key], at)
	return true
}

func (b *batch) addVerdict(hash Hash, v Verdict) bool {
	has, known := b.verdicts[hash]
	if known && has.Checked.After(v.Checked) {
		return true
	}
	octets := b.octets - len(has.Result) + len(v.Result)
	if octets > maxQueuedOctets || !room(b.verdicts, hash) {
		return false
	}
	b.verdicts[hash], b.octets = v, octets
	return true
}

func (b *batch) addRecheck(r Recheck) bool {
	if !room(b.rechecks, r.hash) {
		return false
	}
	b.rechecks[r.hash] = r
	return true
}

// verdict returns a verdict that is not committed yet.
func (q *queue) verdict(hash Hash) (Verdict, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range []*batch{q.waiting, q.writing} {
		if v, ok := b.verdicts[hash]; ok {
			return v, true
		}
	}
	return Verdict{}, false
}

func (q *queue) dropVerdicts() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range []*batch{q.waiting, q.writing} {
		clear(b.verdicts)
		b.octets = 0
	}
}

// take hands queued writes over for a commit: those whose commit failed, or
// else the waiting ones.
func (q *queue) take() (b *batch, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writing.len() > 0 {
		return q.writing, true
	}
	q.writing, q.waiting = q.waiting, newBatch()
	q.taken++
	q.writing.number = q.taken
	return q.writing, false
}

// settle ends what take began. A batch whose commit failed stays as it is.
func (q *queue) settle(took time.Duration, committed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !committed {
		q.counters.Failures++
		return
	}
	q.writing = newBatch()
	q.counters.Commits++
	q.counters.LastCommit = took
}

// drop counts small writes that were given up.
func (q *queue) drop(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counters.Dropped += int64(n)
}

func (q *queue) stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	stats := q.counters
	stats.Queued = q.waiting.len() + q.writing.len()
	return stats
}
