package smtptest

import (
	"slices"
	"strings"
)

// answer is what is said to a command. The talk has the command's effect then.
func (t *talk) answer(command string) string {
	t.visit.Commands++
	verb := t.awaited
	switch verb {
	case "QUIT":
		t.host.leave(t.visit)
		t.visit.QUIT = true
	case "DATA", "BDAT":
		t.visit.DATA = true
	}
	if verb == "RCPT" {
		return t.answerRCPT(command)
	}
	due := t.due(verb, command)
	answer := t.chosen(command, due)
	if accepts(meant(answer, due)) {
		t.take(verb, command, answer)
	}
	return answer
}

// chosen is what the host says in place of what is due.
func (t *talk) chosen(command, due string) string {
	h := t.host
	for _, l := range h.limits {
		if t.visit.QUIT || !l.concerns(command) {
			continue
		}
		if l.reached(t.visit) {
			due = instead(l.says, due)
		}
	}
	if h.Say != nil {
		return instead(h.Say(t.visit, command, due), due)
	}
	return due
}

// instead is text, or where that is empty due, for which a line of text may
// stand.
func instead(text, due string) string {
	if text == "" {
		return due
	}
	if text != "due" && !strings.HasPrefix(text, "due\n") && !strings.Contains(text, "\ndue") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "due" {
			lines[i] = due
		}
	}
	return strings.Join(lines, "\n")
}

// meant is the reply that an answer stands for: one that is left out is due.
func meant(answer, due string) string {
	if answer == Skips {
		return due
	}
	return answer
}

// due is the host's own answer to anything but RCPT.
func (t *talk) due(verb, command string) string {
	h, secure := t.host, t.wire.secure
	if refusal := t.outOfPlace(verb, command); refusal != "" {
		return refusal
	}
	switch verb {
	case "EHLO":
		return instead(h.EHLO, multiline("250", h.keywords(secure)))
	case "HELO":
		return instead(h.HELO, "250 "+h.name())
	case "STARTTLS":
		return string(h.STARTTLS)
	case "MAIL":
		return instead(h.MAIL, "250 2.1.0 Ok")
	case "DATA":
		return instead(h.DATA, "354 Go ahead. End your data with <CR><LF>.<CR><LF>\nmessage\n250 2.0.0 OK: queued")
	case "RSET":
		return instead(h.RSET, "250 2.0.0 Ok")
	case "NOOP":
		return "250 2.0.0 Ok"
	case "QUIT":
		return instead(h.QUIT, "221 2.0.0 Bye")
	case "VRFY":
		return "252 2.0.0 Cannot VRFY, but will take the message"
	case "BDAT", "AUTH", "EXPN", "HELP":
		return "502 5.5.1 " + verb + " command not implemented"
	}
	return "500 5.5.2 Syntax error, command unrecognized"
}

// outOfPlace refuses a command that must not come now; empty: it may.
func (t *talk) outOfPlace(verb, command string) string {
	h, ok, utf8 := t.host, true, false
	if verb == "MAIL" {
		var parameters string
		_, parameters, ok = pathOf(command)
		utf8 = hasSMTPUTF8(parameters)
	}
	switch {
	case t.turned && verb != "QUIT":
		return "503 5.5.1 No service here, please quit"
	case verb == "STARTTLS" && (h.STARTTLS == TLSNone || t.wire.secure):
		return "502 5.5.1 TLS is not available"
	case h.RequireTLS && !t.wire.secure &&
		!slices.Contains([]string{"EHLO", "HELO", "NOOP", "STARTTLS", "QUIT"}, verb):
		return "530 5.7.0 Must issue a STARTTLS command first"
	case verb == "MAIL" && !t.greeted:
		return "503 5.5.1 Please introduce yourself first"
	case verb == "MAIL" && t.mailing:
		return "503 5.5.1 Nested MAIL command"
	case verb == "MAIL" && !ok:
		return "501 5.5.4 Syntax: MAIL FROM:<address>"
	case verb == "MAIL" && utf8 && !h.SMTPUTF8:
		return "504 5.5.4 SMTPUTF8 is not offered"
	case verb == "RCPT" && !t.mailing, verb == "DATA" && t.visit.Accepted == 0:
		return "503 5.5.1 " + verb + " comes after what it needs"
	}
	return ""
}

// take has an accepted command's effect.
func (t *talk) take(verb, command, answer string) {
	switch verb {
	case "EHLO", "HELO":
		t.greeted, t.mailing = true, false
		t.offered = verb == "EHLO" && strings.Contains(strings.ToUpper(answer), "PIPELINING")
	case "MAIL":
		t.mailing = true
		sender, parameters, _ := pathOf(command)
		t.sender, t.utf8 = sender, hasSMTPUTF8(parameters)
		t.visit.Mailed++
		t.visit.Here, t.visit.Accepted = 0, 0
	case "RSET":
		t.mailing = false
	case "STARTTLS":
		t.wire.muted = true // what comes now is not in clear
	}
}

func hasSMTPUTF8(parameters string) bool {
	return slices.Contains(strings.Fields(strings.ToUpper(parameters)), "SMTPUTF8")
}

// answerRCPT is what is said to RCPT.
func (t *talk) answerRCPT(command string) string {
	t.pause(t.host.RCPTDelay)
	rcpt, _, ok := pathOf(command)
	local, domain := split(rcpt)
	due := t.outOfPlace("RCPT", command)
	switch {
	case due != "":
	case !ok || local == "" || domain == "" && !strings.EqualFold(local, "postmaster"):
		due = "501 5.5.2 Syntax: RCPT TO:<address>"
	case t.host.MaxRecipients > 0 && t.visit.Accepted >= t.host.MaxRecipients:
		due = "452 4.5.3 Too many recipients"
	default:
		due = instead(t.host.nth[t.visit.Here+1], t.host.replyTo(t, rcpt))
	}
	answer := strings.ReplaceAll(t.chosen(command, due), "%s", rcpt)
	t.host.named(t.visit, rcpt, accepts(meant(answer, due)))
	return answer
}

// pathOf returns the mailbox between the angle brackets of a MAIL or RCPT
// command, without the quotes of its local-part, and the parameters behind them
// (RFC 5321 §4.1.2).
func pathOf(command string) (mailbox, parameters string, ok bool) {
	_, rest, _ := strings.Cut(command, ":")
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), "<")
	if !ok {
		return "", "", false
	}
	var path strings.Builder
	quoted := false
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest):
			i++
			path.WriteByte(rest[i])
		case c == '"':
			quoted = !quoted
		case c == '>' && !quoted:
			return path.String(), rest[i+1:], true
		default:
			path.WriteByte(c)
		}
	}
	return "", "", false
}

// multiline makes one reply of lines (RFC 5321 §4.2.1).
func multiline(code string, lines []string) string {
	last := len(lines) - 1
	text := ""
	for _, line := range lines[:last] {
		text += code + "-" + line + "\n"
	}
	return text + code + " " + lines[last]
}
