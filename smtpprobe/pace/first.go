package pace

// FirstSessions is how many sessions a mail host may have at first, and
// strictSessions how many where the provider is strict: with all of its hosts
// together it is given less than twice as many as other hosts begin with.
const (
	FirstSessions  = 4
	strictSessions = 2
)

// FirstSessions is how many sessions a mail host of the provider may have at
// first.
func (r Rules) FirstSessions() int {
	if l := r.Limits.Sessions; l >= 0 && l < 2*FirstSessions {
		return strictSessions
	}
	return FirstSessions
}
