package engine

import (
	"cmp"

	"github.com/rcpt/rcpt/internal/sys/machine"
)

// maxQueries is how many DNS queries are in progress at a time.
const maxQueries = 512

// withinOpenFiles returns the numbers of sessions and of DNS queries that may
// be in progress if that many files may be open.
func (c Config) withinOpenFiles(limit int) (sessions, queries int) {
	sessions, queries = cmp.Or(c.MaxSessions, machine.DefaultSessions), maxQueries
	if c.Dialer == nil {
		sessions = machine.Sessions(sessions, limit)
	}
	if c.Exchanger == nil {
		queries = machine.Queries(queries, limit)
	}
	return sessions, queries
}
