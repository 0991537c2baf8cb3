package schedule

import "maps"

// queue is the jobs that wait for a host. Those of single checks come first; of
// each rank those that must be asked alone, then those that were asked before,
// as their answers help the others, and then the others by turn. (Rule 2.1)
type queue struct {
	ranks  [ranks]ranked
	served int             // how far the turns of lines have come, in jobs
	lined  map[lineKey]int // how far each line has come
}

// lineKey is what takes turns at a host: the jobs of a domain that are of one
// list.
type lineKey struct {
	domain string
	caller CallerID
}

// ranked is the jobs of one rank.
type ranked struct {
	alone, again line
	turns        []*line // from the turn base on
	base         int
	n            int
}

func (q *queue) len() int { return q.ranks[single].n + q.ranks[list].n }

// rank is that of the job that is to be asked first.
func (q *queue) rank() rank {
	if q.ranks[single].n > 0 {
		return single
	}
	return list
}

// alone is how many jobs must be asked alone: each takes a new session.
func (q *queue) alone() int { return q.ranks[single].alone.n + q.ranks[list].alone.n }

// first is the job that is to be asked first.
func (q *queue) first() *job { return q.ranks[q.rank()].first() }

// lineUp has a job wait. The lines of a host take turns, so that one with many
// jobs delays one with few by no more than a turn: a job waits for the first
// turn that the host has not begun and in which its line has room, behind those
// that wait for the same one. (Rule 2.2)
func (q *queue) lineUp(j *job) {
	if len(q.lined) > 2*q.len()+8 { // some lines have no job that waits, or one in the turn under way
		maps.DeleteFunc(q.lined, func(_ lineKey, n int) bool { return q.len() == 0 || n <= q.served+perTurn })
	}
	own := lineKey{j.Domain, j.Caller}
	n := max(q.served, q.lined[own])
	if q.lined == nil {
		q.lined = make(map[lineKey]int)
	}
	q.lined[own] = n + 1
	j.turn = n / perTurn
	q.add(j)
	q.ranks[j.rank()].turnOf(j.turn).append(j)
}

// goFirst has a job wait in front of the others of its rank, but behind those
// that must be asked alone.
func (q *queue) goFirst(j *job) {
	q.add(j)
	r := &q.ranks[j.rank()]
	if j.alone {
		r.alone.prepend(j)
	} else {
		r.again.prepend(j)
	}
}

func (q *queue) add(j *job) {
	q.ranks[j.rank()].n++
	j.host.provider.waiting++
}

// remove takes a job off those that wait.
func (q *queue) remove(j *job) {
	j.in.remove(j)
	q.ranks[j.rank()].n--
	j.host.provider.waiting--
}

// serve takes a job off as its turn begins.
func (q *queue) serve(j *job) {
	q.served = max(q.served, j.turn*perTurn)
	q.remove(j)
}

// turnOf is the line of those that wait for a turn.
func (r *ranked) turnOf(turn int) *line {
	if len(r.turns) == 0 {
		r.base = turn
	}
	for turn < r.base {
		r.turns = append([]*line{{}}, r.turns...)
		r.base--
	}
	for turn >= r.base+len(r.turns) {
		r.turns = append(r.turns, &line{})
	}
	return r.turns[turn-r.base]
}

// trim forgets the turns that are over.
func (r *ranked) trim() {
	for len(r.turns) > 0 && r.turns[0].n == 0 {
		r.turns = r.turns[1:]
		r.base++
	}
}

func (r *ranked) first() *job {
	r.trim()
	for _, l := range []*line{&r.alone, &r.again} {
		if l.first != nil {
			return l.first
		}
	}
	if len(r.turns) > 0 {
		return r.turns[0].first
	}
	return nil
}

// each calls f with the jobs in their order, until it returns false. It may
// take the job off.
func (r *ranked) each(f func(*job) bool) {
	r.trim()
	if r.alone.each(f) && r.again.each(f) {
		for _, l := range r.turns {
			if !l.each(f) {
				return
			}
		}
	}
}

func (l *line) each(f func(*job) bool) bool {
	for j := l.first; j != nil; {
		next := j.next
		if !f(j) {
			return false
		}
		j = next
	}
	return true
}

// all returns the jobs that wait, in their order.
func (q *queue) all() []*job {
	all := make([]*job, 0, q.len())
	for i := range q.ranks {
		q.ranks[i].each(func(j *job) bool { all = append(all, j); return true })
	}
	return all
}
