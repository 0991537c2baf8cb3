package smtpprobe_test

import (
	"crypto/rand"
	"strings"
)

// randomMailbox is a control mailbox in domain: no mail host has it.
func randomMailbox(domain string) string {
	return strings.ToLower(rand.Text()) + "@" + domain
}
