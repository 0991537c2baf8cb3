package soak

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

//go:embed kinds.txt
var kindsText string

// kind is a sort of domain.
type kind struct {
	smtptest.Situation
	dns  string // what is wrong with its DNS; empty: nothing
	ours bool   // of kinds.txt: its clients owe it a QUIT
}

// The kinds that the rest of the package knows by name.
const (
	honest   = "honest"
	changing = "changing"
)

// kinds are all there are: those of kinds.txt, and hostile hosts of smtptest.
// Of those that protect themselves against harvesting, which differ in their
// words, these are the ones of Postfix, but for those that turn for a while:
// all subjects of a soak come from one address, so that what one does turns the
// host against the others in the middle of whatever they do. One other host
// gives a mailbox the reply about another and names neither, which nobody can
// see through.
var kinds = sync.OnceValue(func() (all []*kind) {
	ours, err := smtptest.ReadSituations(kindsText, "dns")
	if err != nil {
		panic("soak: " + err.Error())
	}
	for _, s := range ours {
		k := &kind{Situation: s, ours: true}
		for _, line := range s.Rest {
			_, k.dns, _ = strings.Cut(line, " ")
		}
		all = append(all, k)
	}
	for _, s := range hostile.All() {
		turns := strings.HasPrefix(s.Name, "turns-")
		forAWhile, inWordsOfPostfix := strings.Contains(s.Name, "for-a-while"), strings.HasSuffix(s.Name, "-5.1.1")
		if turns && (forAWhile || !inWordsOfPostfix) || s.Name == "pipelining-reversed" {
			continue
		}
		all = append(all, &kind{Situation: s})
	}
	return all
})

// has reports whether the domain of an address has mail hosts of its own.
func (k *kind) has() bool { return k.dns == "" || k.dns == "forges" }

// allowed are the verdicts beside "unknown" about a mailbox. A hostile host may
// happen to let the truth through.
func (k *kind) allowed(local string) (verdicts []rcpt.Verdict) {
	name := strings.TrimRight(local, "0123456789")
	listed := slices.IndexFunc(k.Asked, func(q smtptest.Question) bool { return q.Address == name })
	if listed >= 0 {
		for _, word := range k.Asked[listed].Allowed {
			switch word {
			case "catch_all":
				word = string(rcpt.VerdictAcceptAll)
			case "recipient_accepted":
				word = string(rcpt.VerdictDeliverable)
			}
			verdicts = append(verdicts, rcpt.Verdict(word))
		}
	}
	if listed < 0 || !k.ours {
		verdicts = append(verdicts, truth[name]...)
	}
	return verdicts
}

// Mailboxes by the beginning of their names; all others do not exist, those
// made up by rcpt among them.
const (
	existing = "real"
	full     = "full"
	missing  = "missing"
)

// truth is what is so about a mailbox.
var truth = map[string][]rcpt.Verdict{
	existing: {rcpt.VerdictDeliverable}, missing: {rcpt.VerdictUndeliverable}, full: nil,
}

// mayChange reports whether a changing host may be of this kind for a while:
// nothing that it says is another truth about its mailboxes.
func (k *kind) mayChange() bool {
	return k.dns == "" && k.Name != changing && !slices.Contains(k.allowed(missing), rcpt.VerdictAcceptAll)
}
