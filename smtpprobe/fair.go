//go:build !plan

package smtpprobe

import (
	"maps"
	"slices"
	"sort"
)

// line is what takes turns at a host: the jobs of a domain that are of one
// list.
type line struct {
	domain string
	lane   *Lane
}

// perTurn is how many jobs of a line are served in one of its turns: those of
// the first transaction with a host.
const perTurn = 10

// lineUp has a job wait for a session. The lines of a host take turns, so that
// one with many jobs delays one with few by no more than a turn: a job waits
// for the first turn that the host has not begun and in which its line has
// room, behind those that wait for the same one.
func (h *mailHost) lineUp(j *job) {
	if len(h.lined) > 2*len(h.waiting) { // some lines have no job that waits, or one in the turn under way
		maps.DeleteFunc(h.lined, func(_ line, n int) bool { return len(h.waiting) == 0 || n <= h.served+perTurn })
	}
	own := line{j.domain, j.req.Lane}
	n := max(h.served, h.lined[own])
	h.lined[own] = n + 1
	j.turn = n / perTurn
	from, to := h.rank(j)
	at := from + sort.Search(to-from, func(i int) bool { return h.waiting[from+i].turn > j.turn })
	h.waiting = slices.Insert(h.waiting, at, j)
}

// rank is the part of the jobs that wait in which a job has its place: single
// checks come first.
func (h *mailHost) rank(j *job) (from, to int) {
	singles := h.singles()
	if j.ofList() {
		return singles, len(h.waiting)
	}
	return 0, singles
}

// singles is how many single checks wait.
func (h *mailHost) singles() int {
	return sort.Search(len(h.waiting), func(i int) bool { return h.waiting[i].ofList() })
}

// serve notes that a job is taken, and with it begins its turn.
func (h *mailHost) serve(j *job) { h.served = max(h.served, j.turn*perTurn) }
