package feed

// Limits are how much of a list is in progress.
type Limits struct {
	// Asked is how many addresses are in progress without waiting.
	Asked int
	// Waiting is how many may wait beside them.
	Waiting int
	// PerDomain is how many of one domain are in progress.
	PerDomain int
}

// Room is how many addresses may be in progress, where so many are allowed to
// at the moment, and so many wait. (Rule 2.1)
func (l Limits) Room(allowed, waiting int) int {
	return min(allowed, l.Asked) + min(waiting, l.Waiting)
}
