package keyring

import "time"

const (
	// horizon is how long a block should last. The block of a killed process is
	// lost to its key for the month.
	horizon = time.Second
	// A block of smallBlock units is never too large; otherwise a hundredth of
	// the quota is the maximum.
	smallBlock  = 8
	largestPart = 100
	// shareOfRest is the part of the remaining quota that a node takes at a
	// time, so that several nodes come to its end at about the same time.
	shareOfRest = 10
)

// traffic is the use of a key since its block was last filled.
type traffic struct {
	used    int64         // units
	elapsed time.Duration // in this time
	size    int64         // of the block
	waited  int64         // requests that waited for it
}

// blockSize returns how many units to hold of a quota: as many as are used in
// the horizon, but at most twice as many as before, because a few requests in a
// short time are no traffic yet, and never more than a hundredth of a quota
// that is not small.
func blockSize(t traffic, quota int64) int64 {
	elapsed := max(t.elapsed, time.Millisecond)
	size := int64(min(float64(t.used)*float64(horizon)/float64(elapsed), float64(quota/largestPart))) + 1
	size = max(min(size, 2*t.size), t.waited, 1)
	return min(size, max(smallBlock, quota/largestPart))
}

// shareOf returns the most that one node reserves at a time of the remaining
// quota.
func shareOf(left int64) int64 { return max(1, left/shareOfRest) }
