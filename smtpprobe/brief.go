package smtpprobe

import (
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// brief is a copy of a session to remember: hosts chosen by strangers must not
// fill the memory. What is kept of a text is enough to read it.
func brief(s *Session) Session {
	b := *s
	for _, reply := range []**smtp.Reply{&b.Greeting, &b.EHLO, &b.STARTTLS, &b.MAIL, &b.Target, &b.Control} {
		if *reply != nil {
			*reply = briefReply(*reply)
		}
	}
	b.Extensions = cloned(s.Extensions, maxBriefReply)
	b.Transcript = nil
	left := maxBriefTranscript
	for _, line := range s.Transcript {
		if left -= len(line.Text) + perText; left < 0 {
			b.Transcript = append(b.Transcript, smtp.Line{From: smtp.FromProber, Text: "the rest was too long to remember", AtMS: line.AtMS})
			break
		}
		line.Text = strings.Clone(line.Text)
		b.Transcript = append(b.Transcript, line)
	}
	return b
}

func briefReply(r *smtp.Reply) *smtp.Reply {
	return &smtp.Reply{Code: r.Code, Enhanced: strings.Clone(r.Enhanced), Lines: cloned(r.Lines, maxBriefReply)}
}

// perText is what a text takes up beside its bytes.
const perText = 16

// cloned copies texts, max bytes of them at most. They are copied one by one,
// because a text may be a small part of what was read.
func cloned(texts []string, max int) []string {
	var kept []string
	for _, text := range texts {
		if max < perText {
			break
		}
		text = smtp.Truncate(text, max)
		kept = append(kept, strings.Clone(text))
		max -= len(text) + perText
	}
	return kept
}

// size is what a reply takes up.
func size(r smtp.Reply) int {
	n := 0
	for _, text := range r.Lines {
		n += len(text) + perText
	}
	return n
}
