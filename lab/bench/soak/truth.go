package soak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
)

// Judge holds a verdict against the truth. The error names what is wrong.
func Judge(address string, verdict rcpt.Verdict) error {
	kind := kindOf(address)
	if kind == nil {
		return fmt.Errorf("%s is no address of this world", address)
	}
	local, _, _ := strings.Cut(address, "@")
	if verdict == rcpt.VerdictUnknown || slices.Contains(kind.allowed(local), verdict) {
		return nil
	}
	return fmt.Errorf("%s is called %s", address, verdict)
}

// unsettled reports whether an honest host was asked about a mailbox and
// nothing came of it, with a good DNS: this must be rare.
func unsettled(address string, verdict rcpt.Verdict, reason rcpt.Reason) bool {
	return verdict == rcpt.VerdictUnknown && reason != rcpt.ReasonDNSTemporary &&
		kindOf(address).Name == honest && !strings.HasPrefix(address, full)
}
