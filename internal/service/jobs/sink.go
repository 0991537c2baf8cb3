package jobs

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// open is a leased batch. Its addresses leave it one by one.
type open struct {
	batch   rows.Batch
	damaged error // it cannot be read
	entries []entry
	done    []bool // by number of the entry
	found
}

func (o *open) lease() schedule.Lease { return schedule.Lease{ID: o.batch.ID, Claim: o.batch.Claim} }

// found is what has come of a batch since its last settlement.
type found struct {
	octets []byte
	counts map[[2]string]int64
	groups groupCounts
	later  []retried
}

// retried is an address that is asked about again.
type retried struct {
	entry
	due time.Time
}

// Write takes the result of an address.
func (r *run) Write(_ context.Context, item bulk.Item, result rcpt.Result) error {
	at, now := placeIn(item.Row), r.manager.config.Now()
	stored := outcomeOf(result)
	r.manager.mu.Lock()
	defer r.manager.mu.Unlock()
	o := r.open[at.Lease]
	if o == nil {
		return nil // the batch belongs to somebody else
	}
	r.note(o, at.number, result, stored, now)
	r.manager.happened(schedule.Answered{Run: r.id, Lease: at.Lease, N: 1})
	return nil
}

// Flush has nothing to do: the plan knows when results are committed.
func (r *run) Flush(context.Context) error { return nil }

// note adds an outcome to its batch: a result, or a time to ask again.
func (r *run) note(o *open, number int, result rcpt.Result, stored outcome, now time.Time) {
	e := o.entries[number]
	o.done[number] = true
	tries := bulk.Tries{Answers: e.answers}
	if e.answers > 0 {
		tries.Since = time.UnixMilli(e.since)
		tries.Since = tries.Since.Add(r.manager.network.downWithin(tries.Since, now))
	}
	if due, next, again := r.manager.retries.Next(tries, result, now); again && !r.job.Test() {
		if e.answers == 0 {
			e.since = next.Since.UnixMilli()
		}
		e.answers = next.Answers
		o.later = append(o.later, retried{e, due})
		return
	}
	o.octets = stored.append(binary.AppendUvarint(o.octets, uint64(e.cell)))
	if o.counts == nil {
		o.counts, o.groups = make(map[[2]string]int64), make(groupCounts)
	}
	o.groups.add(stored.result(""), e.rows(), 1)
	o.counts[[2]string{string(stored.verdict), string(stored.reason)}]++
}

// sending is a settlement on its way to the store.
type sending struct {
	manager *Manager
	job     rows.Job
	batch   rows.Batch
	id      int64
	at      time.Time
	release bool
	damaged error
	left    []entry
	found

	settlement *rows.Settlement // made once: one that is tried again is the same
}

// snapshot takes from batches what they have brought. The caller has locked
// m.mu.
func (m *Manager) snapshot(all []schedule.Settlement) []*sending {
	some := make([]*sending, len(all))
	for i, one := range all {
		s := m.sent[one.ID]
		if s == nil {
			s = m.runs[one.Run].settle(one)
			m.sent[one.ID] = s
		}
		some[i] = s
	}
	return some
}

// settle takes from a batch what it has brought since it was settled last.
func (r *run) settle(one schedule.Settlement) *sending {
	o := r.open[one.Lease]
	s := &sending{
		manager: r.manager, job: r.job, batch: o.batch, id: one.ID, at: r.manager.config.Now(),
		release: one.Release, damaged: o.damaged, found: o.found,
	}
	o.found = found{}
	if one.Left == 0 || one.Release || one.Damaged {
		delete(r.open, one.Lease)
	}
	if one.Left > 0 && !one.Damaged {
		s.left = make([]entry, 0, one.Left)
		for i, e := range o.entries {
			if !o.done[i] {
				s.left = append(s.left, e)
			}
		}
	}
	return s
}

func (s *sending) part(kind byte) part { return part{kind, s.job.ID, s.batch.Segment} }

// stored is the settlement as it is stored.
func (s *sending) stored() rows.Settlement {
	if s.settlement != nil {
		return *s.settlement
	}
	one := &rows.Settlement{Batch: s.batch, Release: s.release, Groups: s.groups.stored()}
	if len(s.octets) > 0 {
		one.Results = s.part(partResults).pack(s.octets)
	}
	for of, n := range s.counts {
		one.Counts = append(one.Counts, rows.ResultCount{Result: of[0], Reason: of[1], Addresses: n})
	}
	one.Later = s.batchesLater()
	switch {
	case s.damaged != nil:
		one.Left, one.Failed = &s.batch, s.damaged.Error()
	case len(s.left) > 0:
		data := packEntries(s.part(partBatch), s.left)
		one.Left = &rows.Batch{Addresses: len(s.left), Rows: rowsOf(s.left), Data: data}
	}
	s.settlement, s.octets, s.left = one, nil, nil
	return *one
}

// commit writes settlements in one transaction.
func (m *Manager) commit(some []*sending) (got returned) {
	all := make([]rows.Settlement, len(some))
	for i, s := range some {
		all[i] = s.stored()
	}
	ctx, cancel := context.WithTimeout(m.calls.settling, commitTimeout)
	defer cancel()
	got.Lost, got.Err = m.config.Store.SettleBatches(ctx, m.node, all)
	if got.Err != nil {
		return got
	}
	for i, s := range some {
		if !got.Lost[i] {
			m.count(s)
		}
	}
	got.take = func() {
		for _, s := range some {
			delete(m.sent, s.id)
		}
	}
	return got
}

// count counts results that are committed: the usage of the key, and the rate.
// Those of a test key are nobody's.
func (m *Manager) count(s *sending) {
	if s.job.Test() {
		return
	}
	m.rate.add(s.settlement.Settled(), m.config.Now())
	if m.config.Record == nil {
		return
	}
	for _, c := range s.settlement.Counts {
		for range c.Addresses {
			m.config.Record(rows.Use{Key: s.job.Key, At: s.at, Result: c.Result, Reason: c.Reason})
		}
	}
}

// later makes batches of the addresses that are asked about again, one for
// those that are due at about the same time.
func (s *sending) batchesLater() (all []rows.Batch) {
	grid := func(e retried) time.Time { return e.due.Add(retryGrid - 1).Truncate(retryGrid) }
	slices.SortStableFunc(s.later, func(a, b retried) int {
		return cmp.Or(grid(a).Compare(grid(b)), cmp.Compare(a.cell, b.cell))
	})
	for len(s.later) > 0 {
		n := 1
		for n < len(s.later) && grid(s.later[n]).Equal(grid(s.later[0])) {
			n++
		}
		entries := make([]entry, n)
		for i, e := range s.later[:n] {
			entries[i] = e.entry
		}
		all = append(all, rows.Batch{
			Segment: s.batch.Segment, Domain: s.batch.Domain, Egress: s.manager.config.Egress,
			Retry: true, RunAfter: grid(s.later[0]), Addresses: n, Rows: rowsOf(entries),
			Data:       packEntries(s.part(partBatch), entries),
			KeptResult: s.batch.KeptResult, KeptReason: s.batch.KeptReason, KeptGroup: s.batch.KeptGroup,
		})
		s.later = s.later[n:]
	}
	return all
}
