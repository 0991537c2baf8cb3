package doctor

import (
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestRemedyNamesFlags reads a refusal for each flag that a remedy can name.
func TestRemedyNamesFlags(t *testing.T) {
	const google = "gmail-smtp-in.l.google.com"
	for _, tt := range []struct{ host, reply, do string }{
		{"", "550 5.7.1 Null sender is not allowed", "Use a reverse-path of your own (--mail-from). Its domain needs an MX record, and an SPF record that names the address of this server."},
		{"", "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname", "Make your name in HELO (--helo) a full one that leads to the address, best the one in its PTR record."},
		{google, "550 5.7.25 The IP address sending this message does not have a PTR record setup", "Ask your hosting provider to set the PTR record to your name in HELO (--helo), or connect from an IPv4 address (--source-ip). The page: https://support.google.com/mail/answer/81126"},
		{"", "550 We do not accept mail from dynamic IPs", "Use a server with a fixed address and a PTR record of its own, through a proxy (--proxy) if need be."},
		{"", "550 5.7.1 SPF unauthorized mail is prohibited.", "Add the address to the record. Only to verify, the null reverse-path (the default of --mail-from) does as well."},
		{"", "550 Rejected due to DNSBL server response (dnsbl.cobion.com - 192.0.2.10)", "The reply often names the list; its page says how to get off. rcpt doctor looks the address up in the usual ones."},
	} {
		reply, err := smtp.ParseReply(tt.reply)
		if err != nil {
			t.Fatal(err)
		}
		if _, do := Remedy(replies.Input{Phase: smtp.PhaseMAIL, Reply: reply, Host: tt.host}); do != tt.do {
			t.Errorf("%s: %q, want %q", reply, do, tt.do)
		}
	}
}
