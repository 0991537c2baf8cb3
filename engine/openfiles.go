package engine

import (
	"cmp"

	"github.com/rcpt/rcpt/engine/internal/machine"
)

// How the files that this process may open are divided: each session and each
// DNS query in progress takes one, and the resolver keeps half as many idle
// sockets as it may have queries. With a second resolver, for lists in the DNS,
// an eighth is left.
const (
	sessionsShare  = 2
	questionsShare = 8
	// otherFiles are reserved: standard streams, databases, lists, the
	// runtime's own.
	otherFiles = 16

	defaultMaxSessions = 1000
	maxQuestions       = 512
)

// withinOpenFiles returns the numbers of sessions and of DNS queries that may
// be in progress if that many files may be open.
func (c Config) withinOpenFiles(limit int) (sessions, questions int) {
	sessions, questions = cmp.Or(c.MaxSessions, defaultMaxSessions), maxQuestions
	shared := max(limit-otherFiles, 0)
	if c.Dialer == nil {
		sessions = min(sessions, max(shared/sessionsShare, 1))
	}
	if c.Exchanger == nil {
		questions = min(questions, max(shared/questionsShare, 1))
	}
	return sessions, questions
}

// SessionsWithinOpenFiles returns the number of SMTP sessions that a [Verifier]
// will have open at most, and the number of files that this process may open,
// which limits it.
func (c Config) SessionsWithinOpenFiles() (sessions, openFiles int) {
	openFiles = machine.OpenFiles()
	sessions, _ = c.withinOpenFiles(openFiles)
	return sessions, openFiles
}
