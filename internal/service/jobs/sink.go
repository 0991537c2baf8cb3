package jobs

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Write takes the result of an address.
func (r *run) Write(_ context.Context, item bulk.Item, result rcpt.Result) error {
	at := placeIn(item.Row)
	now := r.manager.config.Now()
	r.order.Lock()
	defer r.order.Unlock()
	r.mu.Lock()
	o := r.open[at.lease]
	r.note(o, at.number, result, now)
	var settled *settling
	if o.left == 0 || now.Sub(o.since) >= settleAfter {
		settled = r.settle(o, now)
	}
	r.mu.Unlock()
	if settled != nil {
		r.manager.settler.add(*settled)
	}
	return nil
}

// note adds an outcome to its batch: a result, or a time to ask again.
func (r *run) note(o *open, number int, result rcpt.Result, now time.Time) {
	e := o.entries[number]
	o.done[number] = true
	o.left--
	tries := bulk.Tries{Answers: e.answers}
	if e.answers > 0 {
		tries.Since = time.UnixMilli(e.since)
		tries.Since = tries.Since.Add(r.manager.network.downWithin(tries.Since, now))
	}
	if due, next, again := r.manager.retries.Next(tries, result, now); again {
		if e.answers == 0 {
			e.since = next.Since.UnixMilli()
		}
		e.answers = next.Answers
		o.later = append(o.later, retried{e, due})
		return
	}
	stored := outcomeOf(result)
	o.octets = stored.append(binary.AppendUvarint(o.octets, uint64(e.cell)))
	if o.counts == nil {
		o.counts, o.groups = make(map[[2]string]int64), make(groupCounts)
	}
	o.groups.add(stored.result(""), e.rows(), 1)
	o.counts[[2]string{string(stored.verdict), string(stored.reason)}]++
}

// settle takes from a batch what can be committed.
func (r *run) settle(o *open, now time.Time) *settling {
	s := settling{job: r.job, run: r, freed: len(o.entries) - o.left - o.freedBefore, at: now}
	s.Batch = o.batch
	if len(o.octets) > 0 {
		s.Results = part{partResults, r.job.ID, o.batch.Segment}.pack(o.octets)
	}
	for of, n := range o.counts {
		s.Counts = append(s.Counts, rows.ResultCount{Result: of[0], Reason: of[1], Addresses: n})
	}
	s.Groups = o.groups.stored()
	s.Later = r.later(o)
	o.freedBefore = len(o.entries) - o.left
	o.octets, o.counts, o.groups, o.later, o.since = nil, nil, nil, nil, now
	if o.left > 0 {
		var left []entry
		for i, e := range o.entries {
			if !o.done[i] {
				left = append(left, e)
			}
		}
		s.Left = &rows.Batch{Addresses: len(left), Rows: rowsOf(left), Data: packEntries(r.batchOf(o), left)}
		return &s
	}
	delete(r.open, leaseOf(&o.batch))
	s.closes = true
	return &s
}

func (r *run) batchOf(o *open) part { return part{partBatch, r.job.ID, o.batch.Segment} }

// later makes batches of the addresses that are asked about again, one for
// those that are due at about the same time.
func (r *run) later(o *open) (all []rows.Batch) {
	grid := func(e retried) time.Time { return e.due.Add(retryGrid - 1).Truncate(retryGrid) }
	slices.SortStableFunc(o.later, func(a, b retried) int {
		return cmp.Or(grid(a).Compare(grid(b)), cmp.Compare(a.cell, b.cell))
	})
	for len(o.later) > 0 {
		n := 1
		for n < len(o.later) && grid(o.later[n]).Equal(grid(o.later[0])) {
			n++
		}
		entries := make([]entry, n)
		for i, e := range o.later[:n] {
			entries[i] = e.entry
		}
		all = append(all, rows.Batch{
			Segment: o.batch.Segment, Domain: o.batch.Domain, Egress: r.manager.config.Egress,
			Retry: true, RunAfter: grid(o.later[0]), Addresses: n, Rows: rowsOf(entries),
			Data:       packEntries(r.batchOf(o), entries),
			KeptResult: o.batch.KeptResult, KeptReason: o.batch.KeptReason, KeptGroup: o.batch.KeptGroup,
		})
		o.later = o.later[n:]
	}
	return all
}

// Flush commits what has been found, because nothing has come for a while.
func (r *run) Flush(context.Context) error {
	now := r.manager.config.Now()
	r.order.Lock()
	defer r.order.Unlock()
	r.mu.Lock()
	var all []settling
	for _, o := range r.open {
		if len(o.octets) > 0 || len(o.later) > 0 {
			all = append(all, *r.settle(o, now))
		}
	}
	r.mu.Unlock()
	for _, s := range all {
		r.manager.settler.add(s)
	}
	return nil
}

// giveBack commits what is done of the open batches, gives the rest back, and
// waits until that is committed.
func (r *run) giveBack() {
	now := r.manager.config.Now()
	r.order.Lock()
	r.mu.Lock()
	var all []settling
	for _, o := range r.open {
		s := r.settle(o, now)
		s.Release, s.freed, s.closes = true, len(o.entries)-o.freedBefore+s.freed, true
		all = append(all, *s)
		delete(r.open, leaseOf(&o.batch))
	}
	r.ready, r.over = nil, true
	r.mu.Unlock()
	for _, s := range all {
		r.manager.settler.add(s)
	}
	r.order.Unlock()
	r.manager.settler.wait(r)
	if left := r.holds(); len(left) > 0 && r.manager.settler.ctx.Err() == nil { // never: each open batch was settled
		r.manager.config.Log.Error("batches of a job have no results and are given back",
			"job", r.job.ID, "batches", len(left))
		r.manager.doubt(r.job.ID)
	}
}

// settled is called when a settlement is committed, or was given up.
func (r *run) settled(s *settling) {
	r.mu.Lock()
	r.flying -= s.freed
	if s.closes && r.held[s.Batch.ID] == s.Batch.Claim {
		delete(r.held, s.Batch.ID)
	}
	if domain := s.Batch.Domain; domain != "" {
		r.large -= s.freed
		if s.closes {
			if r.domains[domain]--; r.domains[domain] == 0 {
				delete(r.domains, domain)
			}
		}
	}
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default:
	}
}
