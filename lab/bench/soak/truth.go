package soak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// truth is what may be said about the mailboxes of a mode. "Unknown" always
// may.
type truth int

const (
	checks   truth = iota // the host tells them apart
	takesAll              // the host takes all of them
	mute                  // nothing about a mailbox is ever to be had
	doubtful              // what is heard proves little; nobody may call a mailbox dead that exists
	deadEnd               // the DNS says that there is no mail
)

// allowed are the verdicts beside "unknown".
func (t truth) allowed(local string) []engine.Verdict {
	switch {
	case t == takesAll:
		return []engine.Verdict{engine.VerdictAcceptAll}
	case t == deadEnd:
		return []engine.Verdict{engine.VerdictUndeliverable}
	case t == mute, t == checks && strings.HasPrefix(local, full):
		return nil
	case t == doubtful && strings.HasPrefix(local, missing):
		return []engine.Verdict{engine.VerdictDeliverable, engine.VerdictAcceptAll, engine.VerdictUndeliverable}
	case t == doubtful:
		return []engine.Verdict{engine.VerdictDeliverable, engine.VerdictAcceptAll}
	case strings.HasPrefix(local, existing):
		return []engine.Verdict{engine.VerdictDeliverable}
	}
	return []engine.Verdict{engine.VerdictUndeliverable}
}

// Judge holds a verdict against the truth. The error names what is wrong.
func Judge(address string, verdict engine.Verdict) error {
	mode := modeOf(address)
	if mode == nil {
		return fmt.Errorf("%s is no address of this world", address)
	}
	local, _, _ := strings.Cut(address, "@")
	if verdict == engine.VerdictUnknown || slices.Contains(mode.truth.allowed(local), verdict) {
		return nil
	}
	return fmt.Errorf("%s is called %s", address, verdict)
}

// unsettled reports whether an honest host was asked about a mailbox and
// nothing came of it, with a good DNS: this must be rare.
func unsettled(address string, verdict engine.Verdict, reason engine.Reason) bool {
	local, _, _ := strings.Cut(address, "@")
	return verdict == engine.VerdictUnknown && reason != engine.ReasonDNSTemporary &&
		modeOf(address).name == honest && !strings.HasPrefix(local, full)
}
