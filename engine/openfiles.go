package engine

import "cmp"

// How the files that this process may open are shared out: each session and each question under way takes one, and the resolver keeps half as many
// idle sockets as it may have questions. With a second resolver, that of lists in the DNS, an eighth is left.
const (
	sessionsShare  = 2
	questionsShare = 8
	// otherFiles are not shared out: standard streams, databases, lists, what the runtime waits with.
	otherFiles = 16

	defaultMaxSessions = 1000
	maxQuestions       = 512
)

// withinOpenFiles are the sessions and the questions to the DNS that may be under way where that many files may be open.
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
