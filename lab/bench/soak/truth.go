package soak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// Judge holds a verdict against the truth. The error names what is wrong.
func Judge(address string, verdict engine.Verdict) error {
	kind := kindOf(address)
	if kind == nil {
		return fmt.Errorf("%s is no address of this world", address)
	}
	local, _, _ := strings.Cut(address, "@")
	if verdict == engine.VerdictUnknown || slices.Contains(kind.allowed(local), verdict) {
		return nil
	}
	return fmt.Errorf("%s is called %s", address, verdict)
}

// unsettled reports whether an honest host was asked about a mailbox and
// nothing came of it, with a good DNS: this must be rare.
func unsettled(address string, verdict engine.Verdict, reason engine.Reason) bool {
	return verdict == engine.VerdictUnknown && reason != engine.ReasonDNSTemporary &&
		kindOf(address).Name == honest && !strings.HasPrefix(address, full)
}
