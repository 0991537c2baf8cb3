package smtpprobe

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// brief is a copy of a session to remember: hosts chosen by strangers must not
// fill the memory.
func brief(s *Session) Session {
	b := *s
	for _, reply := range []**smtp.Reply{&b.Greeting, &b.EHLO, &b.STARTTLS, &b.MAIL, &b.Target, &b.Control, &b.Behind} {
		if *reply != nil {
			*reply = briefReply(*reply)
		}
	}
	b.Extensions = briefTexts(s.Extensions, maxBriefLines)
	b.Transcript = slices.Clone(s.Transcript[:min(len(s.Transcript), maxBriefLines)])
	for i := range b.Transcript {
		b.Transcript[i].Text = briefText(b.Transcript[i].Text)
	}
	if len(b.Transcript) < len(s.Transcript) {
		b.Transcript = append(b.Transcript, smtp.Line{From: smtp.FromProber, Text: "the rest was too long to remember"})
	}
	return b
}

func briefReply(r *smtp.Reply) *smtp.Reply {
	return &smtp.Reply{Code: r.Code, Enhanced: strings.Clone(r.Enhanced), Lines: briefTexts(r.Lines, maxBriefReply)}
}

func briefTexts(texts []string, most int) []string {
	kept := slices.Clone(texts[:min(len(texts), most)])
	for i := range kept {
		kept[i] = briefText(kept[i])
	}
	return kept
}

// briefText copies a text, because it may be a small part of what was read.
func briefText(text string) string { return strings.Clone(smtp.Truncate(text, maxBriefText)) }
