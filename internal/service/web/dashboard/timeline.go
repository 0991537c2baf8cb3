package dashboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// step is a step of a verification and its outcome.
type step struct {
	Name, Text, More string
	Tone             string // "good", "bad", "warn" or "calm"; "idle": not reached
}

// pathOf returns the steps of the verification.
func pathOf(r engine.Result) []step {
	details := r.Details
	steps := []step{syntaxStep(r), listsStep(details), dnsStep(r), hostStep(details), catchAllStep(details)}
	idle := false
	for i := range steps {
		if idle {
			steps[i] = step{Name: steps[i].Name, Text: "Not needed", Tone: "idle"}
		}
		// A step that settles the verdict makes the later ones unnecessary.
		idle = idle || endsAt(details.Reason) == steps[i].Name
	}
	return steps
}

const (
	stepSyntax   = "Address"
	stepLists    = "Lists"
	stepDNS      = "DNS"
	stepHost     = "Mail host"
	stepCatchAll = "Catch-all"
)

// endsAt is the step after which a verification with the reason went no
// further; empty: it went to the end.
func endsAt(reason engine.Reason) string {
	switch reason {
	case engine.ReasonInvalidSyntax:
		return stepSyntax
	case engine.ReasonSpamTrap:
		return stepLists
	case engine.ReasonDomainNotFound, engine.ReasonNoMailHost, engine.ReasonNullMX, engine.ReasonDNSTemporary, engine.ReasonResolverUnreliable:
		return stepDNS
	}
	return ""
}

func syntaxStep(r engine.Result) step {
	if r.Details.Reason == engine.ReasonInvalidSyntax {
		return step{Name: stepSyntax, Text: "Not well-formed", Tone: "bad"}
	}
	return step{Name: stepSyntax, Text: "Well-formed", More: r.Domain, Tone: "good"}
}

func listsStep(d *engine.Details) step {
	var names []string
	for _, match := range d.Matches {
		names = append(names, fmt.Sprintf("%s (%s)", match.List, match.Entry))
	}
	switch {
	case d.Reason == engine.ReasonSpamTrap:
		return step{Name: stepLists, Text: "Listed as a spam trap", More: strings.Join(names, ", "), Tone: "bad"}
	case len(names) > 0:
		return step{Name: stepLists, Text: "On a list", More: strings.Join(names, ", "), Tone: "calm"}
	}
	return step{Name: stepLists, Text: "On no list", Tone: "good"}
}

func dnsStep(r engine.Result) step {
	d := r.Details
	s := step{Name: stepDNS, Text: "Mail hosts found", Tone: "good"}
	switch d.Reason {
	case engine.ReasonDomainNotFound:
		return step{Name: stepDNS, Text: "No such domain", Tone: "bad"}
	case engine.ReasonNoMailHost:
		return step{Name: stepDNS, Text: "No mail host", Tone: "bad"}
	case engine.ReasonNullMX:
		return step{Name: stepDNS, Text: "Accepts no mail (null MX)", Tone: "bad"}
	case engine.ReasonDNSTemporary:
		return step{Name: stepDNS, Text: "No answer", Tone: "calm"}
	case engine.ReasonResolverUnreliable:
		return step{Name: stepDNS, Text: "Resolver unreliable", Tone: "calm"}
	case engine.ReasonMXReservedAddress:
		s.Text, s.Tone = "Reserved addresses only", "calm"
		if r.Verdict == engine.VerdictUndeliverable {
			s.Tone = "bad"
		}
	}
	switch len(d.MX) {
	case 0:
		if s.Tone == "good" {
			return step{Name: stepDNS, Text: "Not asked", Tone: "idle"}
		}
	case 1:
		s.More = d.MX[0].Host
	default:
		s.More = fmt.Sprintf("%s and %d more", d.MX[0].Host, len(d.MX)-1)
	}
	if d.Provider != "" {
		s.More = strings.TrimSpace(s.More + " · " + d.Provider)
	}
	return s
}

func hostStep(d *engine.Details) step {
	s := step{Name: stepHost, Text: "Not asked", Tone: "idle"}
	answer := d.SMTP
	if answer == nil {
		return s
	}
	s.More = strings.Trim(answer.Host+" · "+answer.IP, " ·")
	switch {
	case answer.Code == 0:
		s.Text, s.Tone = fmt.Sprintf("No reply at %s", phaseName(answer.Phase)), "calm"
	default:
		s.Text = strings.TrimSpace(fmt.Sprintf("%d %s at %s", answer.Code, answer.Enhanced, phaseName(answer.Phase)))
		s.Tone = replyTone(answer.Code, d.Reason)
	}
	return s
}

// replyTone returns the tone of a reply. A refusal is bad only if it was read
// as one of the mailbox.
func replyTone(code int, reason engine.Reason) string {
	switch {
	case code < 400:
		return "good"
	case reason == engine.ReasonMailboxNotFound, reason == engine.ReasonMailboxDisabled, reason == engine.ReasonMailboxMoved:
		return "bad"
	}
	return "calm"
}

// phaseName is a phase as people who know SMTP write it.
func phaseName(phase smtp.Phase) string {
	switch phase {
	case smtp.PhaseConnect:
		return "connection"
	case smtp.PhaseGreeting:
		return "greeting"
	}
	return strings.ToUpper(string(phase))
}

func catchAllStep(d *engine.Details) step {
	s := step{Name: stepCatchAll}
	switch d.CatchAll {
	case engine.CatchAllYes:
		s.Text, s.Tone = "Accepts every address", "warn"
	case engine.CatchAllNo:
		s.Text, s.Tone = "Refuses unknown mailboxes", "good"
	default:
		s.Text, s.Tone = "Unknown", "idle"
		if d.SMTP == nil {
			s.Text = "Not asked"
		}
	}
	return s
}

// line is a line of the SMTP dialogue, and whether client or server sent it.
type line struct {
	At, Who, Class, Text string
}

// beganBefore reports whether the dialogue is from a session that an earlier
// check opened: then its times count from the start of that session.
func beganBefore(d *engine.Details) bool {
	const slack = time.Second // reported and measured times need not agree to the millisecond
	last := len(d.Transcript) - 1
	return last >= 0 && d.Transcript[last].At > d.Duration+slack
}

func dialogueOf(transcript []smtp.Line) []line {
	lines := make([]line, 0, len(transcript))
	for _, entry := range transcript {
		l := line{At: groupedCount(entry.At.Milliseconds()), Who: "Note", Class: "note", Text: entry.Text}
		switch entry.From {
		case "C":
			l.Who, l.Class = "rcpt", "client"
		case "S":
			l.Who, l.Class = "Host", "server"
		}
		lines = append(lines, l)
	}
	return lines
}
