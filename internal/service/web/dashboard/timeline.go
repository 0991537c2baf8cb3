package dashboard

import (
	"fmt"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// step is a step of a verification and its outcome.
type step struct {
	Name, Text, More string
	Tone             string // "good", "bad", "warn" or "calm"; "idle": not reached
}

// pathOf returns the steps of the verification.
func pathOf(r rcpt.Result) []step {
	details := r.Details
	steps := []step{syntaxStep(r), listsStep(r), dnsStep(r), hostStep(r), catchAllStep(details)}
	last, idle := lastStep[r.Reason.EndsAt()], false
	for i := range steps {
		if idle {
			steps[i] = step{Name: steps[i].Name, Text: "Not needed", Tone: "idle"}
		}
		// The step that gives the reason makes the later ones unnecessary.
		idle = idle || steps[i].Name == last
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

// lastStep is the last step that is shown of a verification which ended at a
// step of the engine.
var lastStep = map[rcpt.Step]string{
	rcpt.StepSyntax: stepSyntax, rcpt.StepLists: stepLists, rcpt.StepDNS: stepDNS, rcpt.StepSMTP: stepCatchAll,
}

// stepNames are the steps in their order.
func stepNames() []string { return []string{stepSyntax, stepLists, stepDNS, stepHost, stepCatchAll} }

func syntaxStep(r rcpt.Result) step {
	if r.Reason == rcpt.ReasonInvalidSyntax {
		return step{Name: stepSyntax, Text: "Not well-formed", Tone: "bad"}
	}
	return step{Name: stepSyntax, Text: "Well-formed", More: r.Domain, Tone: "good"}
}

func listsStep(r rcpt.Result) step {
	d, tone := r.Details, "calm"
	if r.Disposable {
		tone = "warn"
	}
	var names []string
	for _, match := range d.Matches {
		names = append(names, fmt.Sprintf("%s (%s)", match.List, match.Entry))
	}
	switch {
	case r.Reason == rcpt.ReasonSpamTrap:
		return step{Name: stepLists, Text: "Listed as a spam trap", More: strings.Join(names, ", "), Tone: "bad"}
	case len(names) > 0:
		return step{Name: stepLists, Text: "On a list", More: strings.Join(names, ", "), Tone: tone}
	}
	return step{Name: stepLists, Text: "On no list", Tone: "good"}
}

// dnsOutcomes are the outcomes of the DNS that end a verification, with their
// tones.
var dnsOutcomes = map[rcpt.Reason]struct{ text, tone string }{
	rcpt.ReasonDomainNotFound:     {"No such domain", "bad"},
	rcpt.ReasonNoMailHost:         {"No mail host", "bad"},
	rcpt.ReasonNullMX:             {"Accepts no mail (null MX)", "bad"},
	rcpt.ReasonDNSTemporary:       {"No answer", "calm"},
	rcpt.ReasonResolverUnreliable: {"Resolver unreliable", "calm"},
	rcpt.ReasonMXReservedAddress:  {"Reserved addresses only", "calm"},
}

func dnsStep(r rcpt.Result) step {
	d := r.Details
	outcome, ended := dnsOutcomes[r.Reason]
	s := step{Name: stepDNS, Text: outcome.text, Tone: outcome.tone}
	switch {
	case !ended:
		s.Text, s.Tone = "Mail hosts found", "good"
	case r.Reason != rcpt.ReasonMXReservedAddress:
		return s
	case r.Verdict == rcpt.VerdictUndeliverable:
		s.Tone = "bad"
	}
	switch len(d.MX) {
	case 0:
		if !ended {
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

func hostStep(r rcpt.Result) step {
	s := step{Name: stepHost, Text: "Not asked", Tone: "idle"}
	answer := r.Details.SMTP
	if answer == nil {
		return s
	}
	s.More = strings.Trim(answer.Host+" · "+answer.IP, " ·")
	switch {
	case answer.Code == 0:
		s.Text, s.Tone = fmt.Sprintf("No reply at %s", phaseName(answer.Phase)), "calm"
	default:
		s.Text = strings.TrimSpace(fmt.Sprintf("%d %s at %s", answer.Code, answer.Enhanced, phaseName(answer.Phase)))
		s.Tone = replyTone(answer.Code, r.Reason)
	}
	return s
}

// replyTone returns the tone of a reply. A refusal is bad only if it was read
// as one of the mailbox.
func replyTone(code int, reason rcpt.Reason) string {
	switch {
	case code < 400:
		return "good"
	case reason.Verdict() == rcpt.VerdictUndeliverable:
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

func catchAllStep(d *rcpt.Details) step {
	s := step{Name: stepCatchAll}
	switch d.CatchAll {
	case rcpt.CatchAllYes:
		s.Text, s.Tone = "Accepts every address", "warn"
	case rcpt.CatchAllNo:
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
func beganBefore(d *rcpt.Details) bool {
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
