//go:build e2e && linux

package e2e

import "testing"

// The lines are from the logs of sessions in which a client did say DATA, and
// did hang up.
func TestReadSessions(t *testing.T) {
	for _, c := range []struct {
		name              string
		read              func(string) (session, bool)
		line              string
		count, data, left bool
	}{
		{"Postfix, QUIT", readPostfix,
			"Nov 20 11:21:50 strict postfix/smtpd[2797]: disconnect from localhost[127.0.0.1] ehlo=2 starttls=1 mail=1 rcpt=0/1 quit=1 commands=5/6",
			true, false, false},
		{"Postfix, DATA", readPostfix,
			"Nov 20 11:21:50 ascii postfix/smtpd[1059]: disconnect from client.probe.example[127.0.0.1] ehlo=1 mail=1 rcpt=1 data=1 quit=1 commands=5",
			true, true, false},
		{"Postfix, DATA refused", readPostfix,
			"Nov 20 11:21:50 ascii postfix/smtpd[1059]: disconnect from client.probe.example[127.0.0.1] ehlo=1 mail=1 data=0/1 quit=1 commands=3/4",
			true, true, false},
		{"Postfix, client left", readPostfix,
			"Nov 20 11:21:50 ascii postfix/smtpd[1059]: lost connection after RCPT from client.probe.example[127.0.0.1]",
			true, false, true},
		{"Postfix, client left after the greeting", readPostfix,
			"Nov 20 11:21:50 ascii postfix/smtpd[1059]: lost connection after CONNECT from client.probe.example[127.0.0.1]",
			true, false, true},
		{"Postfix, handshake failed", readPostfix,
			"Nov 20 10:57:45 brokentls postfix/smtpd[2798]: lost connection after STARTTLS from localhost[127.0.0.1]",
			false, false, false},
		{"postscreen, client left", readPostfix,
			"Nov 20 11:21:50 screen postfix/postscreen[1076]: HANGUP after 0 from [127.0.0.1]:55314 in tests before SMTP handshake",
			true, false, true},
		{"postscreen, end", readPostfix,
			"Nov 20 11:21:50 screenrbl postfix/postscreen[1079]: DISCONNECT [127.0.0.1]:48312",
			true, false, false},
		{"Postfix, other line", readPostfix,
			"Nov 20 11:21:50 stock postfix/smtpd[1940]: connect from client.probe.example[127.0.0.1]",
			false, false, false},
		{"Exim, QUIT", readExim,
			"2026-11-20 11:21:50 session host=stock commands=EHLO,STARTTLS,EHLO,MAIL,RCPT,RCPT,QUIT end=quit",
			true, false, false},
		{"Exim, DATA", readExim,
			"2026-11-20 11:21:50 session host=stock commands=EHLO,MAIL,RCPT,DATA,QUIT end=quit",
			true, true, false},
		{"Exim, client left", readExim,
			"2026-11-20 11:21:50 session host=stock commands= end=connection-lost",
			true, false, true},
		{"Exim, other line", readExim,
			"2026-11-20 11:21:50 H=client.probe.example [127.0.0.1] I=[127.0.0.46]:25 temporarily rejected connection in \"connect\" ACL",
			false, false, false},
		{"OpenSMTPD, QUIT", readOpenSMTPD, "2de93b93d542e30a smtp disconnected reason=quit", true, false, false},
		{"OpenSMTPD, DATA", readOpenSMTPD, "smtp: 0x56480e4ce130: <<< DATA", true, true, false},
		{"OpenSMTPD, client left", readOpenSMTPD, "2de93b9691802100 smtp disconnected reason=disconnect", true, false, true},
		{"OpenSMTPD, handshake failed", readOpenSMTPD,
			`9facd35236416ea7 smtp disconnected reason="io-error: error:0A080006:SSL routines::EVP lib"`, true, false, false},
		{"OpenSMTPD, other line", readOpenSMTPD, "smtp: 0x56480e4ce130: <<< RCPT TO:<data@stock.bsd.example>", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ok := c.read(c.line)
			if ok != c.count || s.data != c.data || s.left != c.left {
				t.Errorf("counted %t, data %t, left %t; want %t, %t, %t", ok, s.data, s.left, c.count, c.data, c.left)
			}
		})
	}
}
