package sandbox

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/lists"
)

// Row is a name and the answer for which it stands.
type Row struct {
	Name   string
	About  string      // for people; empty: the reason says it
	Reason rcpt.Reason // of the result; empty: there is none, but an error
	Status int         // of the error
	Code   exchange.Code

	flag lists.Kind // the list that has the address; empty: none
	fix  func(*engine.Evidence)
	wait time.Duration // before the answer
}

// Rows returns the table: results and flags first, then every reason, then the
// errors of the API.
func Rows() []Row {
	all := append([]Row(nil), results...)
	for _, reason := range rcpt.Reasons() {
		all = append(all, Row{Name: nameOf(string(reason)), Reason: reason, About: abouts[reason]})
	}
	return append(all, errorRows...)
}

// abouts say what the message of a reason does not.
var abouts = map[rcpt.Reason]string{
	rcpt.ReasonBusy: "alone, it is the error 503 `mail_host_busy`; among several and in a list, " +
		"this reason, and `success` is false",
}

// nameOf is a word as it stands in an address.
func nameOf(word string) string { return strings.ReplaceAll(strings.ToLower(word), "_", "-") }

// results are the verdicts, the flags, and what else a client shows.
var results = []Row{
	{Name: "deliverable", Reason: rcpt.ReasonRecipientAccepted, About: "the mailbox exists"},
	{Name: "undeliverable", Reason: rcpt.ReasonMailboxNotFound, About: "it does not"},
	{Name: "accept-all", Reason: rcpt.ReasonCatchAll, About: "the domain takes everything"},
	{Name: "unknown", Reason: rcpt.ReasonTemporaryFailure, About: "nothing was found out, for now"},
	{Name: "role", Reason: rcpt.ReasonRecipientAccepted, flag: lists.KindRole, About: "`role` is 1"},
	{Name: "free", Reason: rcpt.ReasonRecipientAccepted, flag: lists.KindFree, About: "`free_email` is 1"},
	{Name: "disposable", Reason: rcpt.ReasonRecipientAccepted, flag: lists.KindDisposable, About: "`disposable` is 1"},
	{Name: "spamtrap", Reason: rcpt.ReasonSpamTrap, About: "`spamtrap` is 1"},
	{
		Name: "suggestion", Reason: rcpt.ReasonDomainNotFound, fix: suggest,
		About: "`details.suggestion` is `deliverable@` and the domain",
	},
	{
		Name: "slow-3s", Reason: rcpt.ReasonRecipientAccepted, wait: 3 * time.Second,
		About: "the answer takes 3 seconds, or as many as the name says, 30 at most; " +
			"`connection_timeout` where the request allows less",
	},
}

// suggest makes the suggestion an address that is deliverable, for forms that
// offer it.
func suggest(e *engine.Evidence) { e.Suggestion = "deliverable@" + e.Domain }

// errorRows are the errors that a client does not cause by what it sends. Those
// that it does cause, a test key gets like any other.
var errorRows = []Row{
	{Name: "status-400", Status: 400, Code: exchange.NoAddress},
	{Name: "status-401", Status: 401},
	{Name: "status-402", Status: 402, Code: exchange.QuotaUsedUp},
	{Name: "status-403", Status: 403, Code: exchange.MissingScope},
	{Name: "status-403-network", Status: 403, Code: exchange.NetworkNotAllowed},
	{Name: "status-429", Status: 429, Code: exchange.RateReached},
	{Name: "status-429-concurrency", Status: 429, Code: exchange.ConcurrencyReached},
	{Name: "status-429-wrong-keys", Status: 429, Code: exchange.TooManyWrongKeys},
	{Name: "status-500", Status: 500, Code: exchange.InternalError},
	{Name: "status-503", Status: 503, Code: exchange.ServerBusy},
	{Name: "status-503-mail-host", Status: 503, Code: exchange.MailHostBusy},
	{Name: "status-503-shutdown", Status: 503, Code: exchange.ShuttingDown},
	{Name: "status-503-store", Status: 503, Code: exchange.StoreUnavailable},
}

// byName has the rows by their names.
var byName = func() map[string]Row {
	all := map[string]Row{}
	for _, row := range Rows() {
		all[row.Name] = row
	}
	return all
}()

// rowOf returns the row that a local-part names: by what is behind its last
// "+", or by what is before its first one. One that names none is deliverable.
func rowOf(local string) Row {
	words := strings.Split(nameOf(local), "+")
	for _, word := range []string{words[len(words)-1], words[0]} {
		if row, found := byName[word]; found {
			return row
		}
		if row, slow := slowRow(word); slow {
			return row
		}
	}
	return byName["deliverable"]
}

// longest is how long an answer takes at most: as long as a verification.
const longest = engine.DefaultTimeout

// slowRow reads slow-1s, slow-30s and the like.
func slowRow(word string) (Row, bool) {
	text, slow := strings.CutPrefix(word, "slow-")
	wait, err := time.ParseDuration(text)
	if !slow || err != nil || wait < 0 {
		return Row{}, false
	}
	row := byName["deliverable"]
	row.wait = min(wait, longest)
	return row, true
}
