package smtptest

import (
	"net"
	"strings"
	"time"
)

// Beginnings of scripts whose fault comes later.
const (
	untilEHLO = "S: 220 mx.smtptest.example\nC: EHLO *\n"
	withEHLO  = untilEHLO + "S: 250-mx.smtptest.example\nS: 250 PIPELINING\n"
	untilRCPT = withEHLO + "C: MAIL *\nS: 250 2.1.0 Ok\nC: RCPT *\n"
	inGroup   = withEHLO + "C: MAIL *\nC: RCPT *\nC: RCPT *\n"
)

// longHosts say more than anybody wants to hear.
func longHosts() []hostile {
	return []hostile{
		{"long-line-greeting", longLine("S: 220 ")},
		{"long-line-ehlo", longLine(untilEHLO + "S: 250 ")},
		{"long-line-rcpt", longLine(untilRCPT + "S: 550 ")},
		{"endless-greeting", Script(`flood 220-more\r\n`)},
		{"endless-ehlo", Script(untilEHLO + `flood 250-MORE\r\n`)},
		{"endless-mail", Script(withEHLO + "C: MAIL *\n" + `flood 250-more\r\n`)},
		{"endless-rcpt", Script(untilRCPT + `flood 550-more\r\n`)},
		{"endless-line", Script("raw: 220 mx\n" + `flood x`)},
		{"endless-replies", Script(`flood 220 more\r\n`)},
		{"endless-nothing", Script(`flood \x00`)},
		{"no-line-end-greeting", Script("raw: 220 mx.smtptest.example\nhang")},
		{"no-line-end-rcpt", Script(untilRCPT + "raw: 550 5.1.1 no\nhang")},
		{"thousand-lines-then-reset", Script(untilEHLO + strings.Repeat("S: 250-more\n", 1000) + "reset")},
		{"long-keywords", realHost(func(h *Host) {
			long := "250-" + strings.Repeat("X", 4000) + "\n"
			h.EHLO = "250-mx.smtptest.example\n" + strings.Repeat(long, 10) + "250 PIPELINING"
		})},
	}
}

// longLine plays a script whose last line goes on for 10 MB. They are made when
// they are needed.
func longLine(text string) Handler {
	return HandlerFunc(func(conn net.Conn) { Script(text + strings.Repeat("x", 10<<20)).ServeSMTP(conn) })
}

// oddHosts speak something that is not, or not quite, SMTP.
func oddHosts() []hostile {
	return []hostile{
		{"bare-lf", realHost(func(h *Host) { h.lineEnd = "\n" })},
		{"bare-cr", realHost(func(h *Host) { h.lineEnd = "\r" })},
		{"byte-by-byte", realHost(func(h *Host) { h.byteDelay = time.Microsecond })},
		{"byte-by-byte-over-tls", realHost(func(h *Host) { h.byteDelay, h.STARTTLS = time.Microsecond, TLSWorks })},
		{"binary", Script(`raw: \x16\x03\x01\x00\xff\x00\r\n\xfe\n`)},
		{"http", Script("S: HTTP/1.1 400 Bad Request\nS: Content-Type: text/html\nS: \nS: <h1>400</h1>\nclose")},
		{"http-second", speaksSecond("HTTP/1.1 400 Bad Request\r\n\r\n")},
		{"ssh", Script("S: SSH-2.0-OpenSSH_9.9\nhang")},
		{"control-characters", realHost(func(h *Host) {
			h.Greeting = "220-mx \x00\x1b[2J\x1b]0;owned\x07\n220 \x9b31m\u202e mx"
			h.RCPTFunc = func(rcpt string, _ int) string {
				return strings.Replace(realReply(rcpt), ":", ":\x00\x1b[31m\x85\xff", 1)
			}
		})},
		{"mixed-codes", Script(inGroup + "S: 250 2.1.0 Ok\nS: 250-2.1.5 yes\nS: 550 5.1.1 no\nS: 550 5.1.1 no")},
		{"mixed-codes-refusal", Script(inGroup +
			"S: 250 2.1.0 Ok\nS: 450-4.2.0 later\nS: 550 5.1.1 no\nS: 550 5.1.1 no")},
		{"reply-of-1xx", Script(inGroup + "S: 250 2.1.0 Ok\nS: 150 wait\nS: 550 5.1.1 no\nS: 550 5.1.1 no")},
		{"354-to-rcpt", Script(inGroup + "S: 250 2.1.0 Ok\nS: 354 go ahead\nS: 550 5.1.1 no\nS: 550 5.1.1 no")},
	}
}

// outOfStepHosts say one thing too many, too few, or in the wrong order.
func outOfStepHosts() []hostile {
	return []hostile{
		{"two-greetings", Script(`raw: 220 mx\r\n220 mx\r\n`)},
		{"two-greetings-apart", Script("S: 220 mx\nC: EHLO *\nS: 220 mx\nS: 250-mx\nS: 250 PIPELINING")},
		{"two-replies-to-ehlo", Script(untilEHLO + `raw: 250 mx\r\n250 mx\r\n`)},
		{"two-replies-to-mail", inGroups(saysMore("MAIL", "250 2.1.0 Ok"))},
		{"refusal-waiting", inGroups(saysMore("MAIL", "550 5.1.1 no"))},
		{"two-replies-to-rcpt", inGroups(saysMore("RCPT", "250 2.1.5 Ok"))},
		{"pipelining-dropped", inGroups(func(group []string) []string { return answersTo(group[:1]) })},
		{"pipelining-last-dropped", inGroups(func(group []string) []string {
			return answersTo(group[:max(1, len(group)-1)])
		})},
		{"pipelining-reversed", inGroups(func(group []string) []string { return anonymous(reversed(group)) })},
		{"pipelining-reversed-by-name", inGroups(reversed)},
	}
}
