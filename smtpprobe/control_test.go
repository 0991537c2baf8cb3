package smtpprobe_test

import (
	"crypto/rand"
	"strings"
)

// randomMailbox is a control mailbox in domain: no mail host has it. Those of
// the tests have mailboxes that begin with "good" or "real", and some domains
// those that begin with "all".
func randomMailbox(domain string) string {
	return "random-" + strings.ToLower(rand.Text()) + "@" + domain
}
