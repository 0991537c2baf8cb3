package service

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// TestEgressRows: the Health page shows what a provider said in words, and the
// egress of a configuration without any by a name.
func TestEgressRows(t *testing.T) {
	rows := egressRows([]smtpprobe.Egress{{HELO: "a.example", Said: []smtpprobe.Said{{Provider: "google", Class: replies.ClassNoSuchUser, Code: 550, Enhanced: "5.1.1"}}}})
	if rows[0].Name != "direct" || rows[0].Said[0].Meaning != "no such user" || rows[0].Said[0].Reply != "550 5.1.1" {
		t.Errorf("%+v", rows)
	}
}
