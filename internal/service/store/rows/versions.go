package rows

// Versions are counters that grow with every committed change on any node.
// Equal versions mean that nothing has changed.
type Versions struct {
	Keys     int64 // created, changed, revoked
	Settings int64
	Verdicts int64 // all forgotten
}
