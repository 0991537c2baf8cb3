package schedule_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// model is the store as nodes see it: the same rules as the statements of
// package store, on plain values. A test compares the two.
type model struct {
	now   func() time.Time
	lists []*modelList // in the order in which they were created
	of    map[string]*modelList
	nodes map[string]modelNode
	ahead time.Duration // the clock of the node that calls

	statements int                                    // what PostgreSQL would be sent, BEGIN and COMMIT included
	settled    func(l *modelList, s *rows.Settlement) // is told of results that are written
}

type modelNode struct {
	egress string
	alive  time.Time
}

type modelList struct {
	rows.Job
	deleted bool
	batches []*modelBatch // by ID
	lastID  int64
}

type modelBatch struct {
	rows.Batch
	node string
}

func newModel(now func() time.Time) *model {
	return &model{now: now, of: make(map[string]*modelList), nodes: make(map[string]modelNode)}
}

func (m *model) create(id, owner string, batches []rows.Batch) *modelList {
	l := &modelList{Job: rows.Job{ID: id, Owner: owner, State: rows.JobQueued}}
	l.add(batches)
	for _, b := range batches {
		l.Addresses += int64(b.Addresses)
	}
	m.lists = append(m.lists, l)
	m.of[id] = l
	return l
}

func (l *modelList) add(batches []rows.Batch) {
	for _, b := range batches {
		l.lastID++
		b.ID, b.Claim, b.Job = l.lastID, 0, l.ID
		l.batches = append(l.batches, &modelBatch{Batch: b})
	}
}

func (l *modelList) batch(id int64) *modelBatch {
	i, found := slices.BinarySearchFunc(l.batches, id, func(b *modelBatch, id int64) int { return cmp.Compare(b.ID, id) })
	if !found {
		return nil
	}
	return l.batches[i]
}

// at is the time by the clock of the node that calls.
func (m *model) at() time.Time { return m.now().Add(m.ahead) }

func (m *model) isAlive(node string) bool { return m.nodes[node].alive.After(m.at()) }

func (m *model) join(node, egress string, until time.Time, alone bool) {
	m.statements += 3
	if alone {
		for other := range m.nodes {
			if other != node {
				delete(m.nodes, other)
			}
		}
	}
	m.nodes[node] = modelNode{egress, until}
}

func (m *model) leave(node string) {
	m.statements += 4
	for _, l := range m.lists {
		for _, b := range l.batches {
			if b.node == node {
				b.node = ""
			}
		}
	}
	delete(m.nodes, node)
}

// isFree is the condition for a batch that a node may take.
func (m *model) isFree(b *modelBatch, egress string) bool {
	if b.node != "" && m.isAlive(b.node) {
		return false
	}
	if b.Egress == "" || b.Egress == egress {
		return true
	}
	for _, n := range m.nodes {
		if n.egress == b.Egress && n.alive.After(m.at()) {
			return false
		}
	}
	return true
}

func (l *modelList) left() int64 { return l.Addresses - l.Done }

// states are the lists that may have something to ask: owners take turns, and
// of one owner's the ones with least left come first.
func (m *model) states() (active []rows.Job) {
	m.statements++
	type turn struct {
		*modelList
		n, created int
	}
	byLeft := func(a, b turn) int { return cmp.Or(cmp.Compare(a.left(), b.left()), cmp.Compare(a.created, b.created)) }
	var all []turn
	for i, l := range m.lists {
		if !l.deleted && (l.State == rows.JobQueued || l.State == rows.JobRunning) {
			all = append(all, turn{l, 0, i})
		}
	}
	slices.SortFunc(all, byLeft)
	turns := make(map[string]int)
	for i := range all {
		turns[all[i].Owner]++
		all[i].n = turns[all[i].Owner]
	}
	slices.SortFunc(all, func(a, b turn) int { return cmp.Or(cmp.Compare(a.n, b.n), byLeft(a, b)) })
	for _, t := range all {
		active = append(active, t.Job)
	}
	return active
}

func (m *model) next(job, egress string) (due time.Time) {
	m.statements++
	for _, b := range m.of[job].batches {
		if m.isFree(b, egress) {
			at := b.RunAfter
			if at.IsZero() {
				at = time.UnixMilli(1).UTC()
			}
			if due.IsZero() || at.Before(due) {
				due = at
			}
		}
	}
	return due
}

func (m *model) lease(q rows.BatchQuery) (leased []rows.Batch, err error) {
	m.statements += 3
	l := m.of[q.Job]
	if l == nil || l.deleted {
		return nil, rows.ErrNotFound
	}
	nodes := int64(0)
	for _, n := range m.nodes {
		if n.alive.After(m.at()) {
			nodes++
		}
	}
	if l.State != rows.JobQueued && l.State != rows.JobRunning || int64(q.Held)*nodes >= l.left() && q.Held > 0 {
		return nil, nil
	}
	m.statements++
	limit := q.Limit
	if nodes > 1 {
		limit = 1
	}
	for _, b := range l.pick(limit, func(b *modelBatch) bool {
		return !b.RunAfter.After(m.at()) && b.node != q.Node && m.isFree(b, q.Egress) &&
			(!q.Small || b.Domain == "") && (q.Small || !slices.Contains(q.Except, b.Domain))
	}) {
		b.node = q.Node
		b.Claim++
		leased = append(leased, b.Batch)
	}
	if len(leased) > 0 && l.State == rows.JobQueued {
		m.statements++
		l.State, l.Started = rows.JobRunning, m.now()
	}
	slices.SortFunc(leased, func(a, b rows.Batch) int { return cmp.Compare(a.ID, b.ID) })
	return leased, nil
}

// pick returns the first batches of those that may be leased: what is asked
// again comes first.
func (l *modelList) pick(limit int, may func(*modelBatch) bool) (picked []*modelBatch) {
	first := func(a, b *modelBatch) int {
		fresh := func(b *modelBatch) int { return map[bool]int{true: 0, false: 1}[b.Retry] }
		return cmp.Or(cmp.Compare(fresh(a), fresh(b)), a.RunAfter.Compare(b.RunAfter), cmp.Compare(a.ID, b.ID))
	}
	for _, b := range l.batches {
		if len(picked) == limit && first(b, picked[limit-1]) > 0 || !may(b) {
			continue
		}
		at, _ := slices.BinarySearchFunc(picked, b, first)
		picked = slices.Insert(picked, at, b)
		picked = picked[:min(len(picked), limit)]
	}
	return picked
}

func (m *model) free(node, job string, held map[int64]int64) {
	m.statements += 4
	if l := m.of[job]; l != nil {
		for _, b := range l.batches {
			if b.node == node && held[b.ID] != b.Claim {
				m.statements++
				b.node = ""
			}
		}
	}
}

func (m *model) settle(node string, all []rows.Settlement) (lost []bool) {
	m.statements += 2
	lost = make([]bool, len(all))
	seen := make(map[string]bool)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &all[i].Batch, &all[j].Batch
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.ID, b.ID))
	})
	for _, i := range order {
		l := m.of[all[i].Batch.Job]
		if !seen[all[i].Batch.Job] {
			seen[all[i].Batch.Job] = true
			m.statements += 5
		}
		lost[i] = l == nil || l.deleted || l.State.Ended() || !m.takeOver(l, node, &all[i])
	}
	for id := range seen {
		if l := m.of[id]; l != nil && !l.State.Ended() && l.Done >= l.Addresses {
			l.State, l.Finished = rows.JobDone, m.now()
		}
	}
	for i := range all {
		if l := m.of[all[i].Batch.Job]; all[i].Failed != "" && !lost[i] {
			m.end(l, rows.JobFailed)
		}
	}
	return lost
}

func (m *model) takeOver(l *modelList, node string, s *rows.Settlement) bool {
	m.statements++
	b := l.batch(s.Batch.ID)
	before := int(s.Settled())
	for _, later := range s.Later {
		before += later.Addresses
	}
	if s.Left != nil {
		before += s.Left.Addresses
	}
	if b == nil || b.node != node || b.Claim != s.Batch.Claim || b.Addresses != before {
		return false
	}
	if s.Left == nil {
		l.batches = slices.DeleteFunc(l.batches, func(other *modelBatch) bool { return other == b })
	} else {
		b.Addresses, b.Data = s.Left.Addresses, s.Left.Data
		if s.Release {
			b.node = ""
		}
	}
	if len(s.Results) > 0 {
		m.statements++
	}
	if len(s.Later) > 0 {
		m.statements += 2
		l.add(s.Later)
	}
	l.Done += s.Settled()
	if m.settled != nil {
		m.settled(l, s)
	}
	return true
}

// change changes the state of a list as users do.
func (m *model) change(id, what string) {
	l := m.of[id]
	if l == nil || l.deleted {
		return
	}
	switch {
	case what == "delete":
		l.deleted, l.batches = true, nil
	case l.State.Ended():
	case what == "pause":
		l.State = rows.JobPaused
	case what == "resume" && l.State == rows.JobPaused:
		l.State = rows.JobRunning
		if l.Started.IsZero() {
			l.State = rows.JobQueued
		}
	case what == "cancel":
		m.end(l, rows.JobCancelled)
	}
}

func (m *model) end(l *modelList, state rows.JobState) {
	l.State, l.Finished, l.batches = state, m.now(), nil
}

// check sees that no address is lost or there twice.
func (l *modelList) check() error {
	if l.deleted || l.State.Ended() && l.State != rows.JobDone {
		return nil
	}
	sum := l.Done
	for _, b := range l.batches {
		sum += int64(b.Addresses)
	}
	if sum != l.Addresses {
		return fmt.Errorf("list %s has %d of %d addresses", l.ID, sum, l.Addresses)
	}
	return nil
}
