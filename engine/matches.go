package engine

import (
	"cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/lists"
)

// matchedBy returns the evidence with its matches in lists, as gathering would
// find them. Nil, and without an address: as it is.
func (e Evidence) matchedBy(l *lists.Lists) Evidence {
	if l == nil || e.Domain == "" {
		return e
	}
	mailbox, err := address.Read(cmp.Or(e.Mailbox, e.Local+"@"+e.Domain))
	if err != nil {
		return e
	}
	e.Matches = l.Match(mailbox.Unquoted(), e.Domain)
	if e.DNS != nil {
		e.Matches = withHosts(e.Matches, l.MatchHosts(e.Domain, hostNames(*e.DNS)))
	}
	return e
}

// withHosts adds what the mail hosts say about a domain, unless the address is
// allowed.
func withHosts(found, hosts []lists.Match) []lists.Match {
	if reading.Matched(found, lists.KindAllow) {
		return found
	}
	return append(found, hosts...)
}

// unlessSpared corrects the judgement that all went well at the level of the
// verification, where less was asked than that because the address was a spam
// trap by the matches then.
func (j judgement) unlessSpared(evidence Evidence, then []lists.Match) judgement {
	short := evidence.Level != LevelSyntax && evidence.DNS == nil ||
		evidence.Level != LevelSyntax && evidence.Level != LevelDNS && evidence.SMTP == nil
	if j.reason != rcpt.ReasonLevelReached || !short || !reading.Trapped(then) {
		return j
	}
	rule := rulingOf(rcpt.ReasonUnfinished)
	rule.message = "Not asked: the address was on a list of spam traps then, and no longer is. Verify it again."
	return judgement{reason: rcpt.ReasonUnfinished, special: &rule}
}
