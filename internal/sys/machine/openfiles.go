package machine

// How the files that this process may open are divided: each session and each
// DNS query in progress takes one, and the resolver keeps half as many idle
// sockets as it may have queries. With a second resolver, for lists in the DNS,
// an eighth is left.
const (
	sessionsShare = 2
	queriesShare  = 8
	// OtherFiles are reserved: standard streams, databases, lists, the
	// runtime's own.
	OtherFiles = 16
)

// DefaultSessions is how many SMTP sessions may be open at most if no number is
// set.
const DefaultSessions = 1000

// Sessions returns how many of the wanted SMTP sessions may be open if that
// many files may be.
func Sessions(wanted, files int) int { return min(wanted, share(files, sessionsShare)) }

// Queries returns how many of the wanted DNS queries may be in progress if that
// many files may be open.
func Queries(wanted, files int) int { return min(wanted, share(files, queriesShare)) }

func share(files, of int) int { return max(max(files-OtherFiles, 0)/of, 1) }
