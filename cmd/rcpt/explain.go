package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// explainCommand is "rcpt explain". Without a subcommand it explains a reply,
// which begins with a digit.
type explainCommand struct {
	Reply explainReplyCommand `cmd:"" default:"withargs" help:"Show how a mail host's reply is classified, and by which rule."`
	Pace  explainPaceCommand  `cmd:"" help:"Show how fast a provider is asked, and why."`
}

// explainReplyCommand is "rcpt explain reply".
type explainReplyCommand struct {
	settings.RulesFlag
	Phase    smtp.Phase           `env:"-" placeholder:"PHASE" enum:"greeting,ehlo,starttls,mail,rcpt,data" default:"rcpt" help:"Phase of the session in which the reply came: ${enum}. Default: ${default}."`
	Host     string               `env:"-" placeholder:"NAME" help:"Name of the mail host; some rules apply to one provider."`
	Mailbox  string               `env:"-" placeholder:"ADDR" help:"Recipient; words of the reply that quote it are ignored."`
	MailFrom settings.ReversePath `name:"mail-from" placeholder:"ADDR" help:"Our reverse-path; a refusal that names it concerns us, not the recipient."`
	JSON     bool                 `name:"json" help:"Print a JSON object."`
	Reply    []string             `arg:"" help:"The reply, with its code first, as the mail host sent it or as a log or Python's smtplib prints it; later lines may lack the code."`
}

// Run prints how the reply is classified, and by which rule.
func (c *explainReplyCommand) Run(std terminal) error {
	classifier, err := c.Classifier()
	if err != nil {
		return err
	}
	reply, err := smtp.ParseLogged(strings.Join(c.Reply, "\n"))
	if err != nil {
		return usage(fmt.Errorf(`%w: write it as the mail host sent it, such as "550 5.1.1 User unknown"`, err))
	}
	question := replies.Input{Phase: c.Phase, Reply: reply, Host: hostName(c.Host),
		Mailbox: c.Mailbox, Sender: string(c.MailFrom), At: time.Now()}
	e := explanationOf(question, classifier)
	if c.JSON {
		encoder := json.NewEncoder(std.out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(e)
	}
	return e.writeText(std.out)
}

// hostName is the name of a host as the DNS compares it.
func hostName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// explanation is the output of "rcpt explain".
type explanation struct {
	Phase      smtp.Phase    `json:"phase"`
	Code       int           `json:"code"`
	Enhanced   string        `json:"enhanced,omitempty"`
	Text       string        `json:"text,omitempty"`
	Class      replies.Class `json:"class"`
	Reason     rcpt.Reason   `json:"reason"`
	Verdict    rcpt.Verdict  `json:"result"`
	Message    string        `json:"message"`
	RetryAfter int64         `json:"retry_after,omitempty"`
	Provider   string        `json:"provider,omitempty"`
	Rule       string        `json:"rule"`
	Source     string        `json:"source,omitempty"`
	Sample     string        `json:"sample,omitempty"`
	Remedy     string        `json:"remedy,omitempty"` // what the operator can do
}

func explanationOf(q replies.Input, classifier *replies.Classifier) explanation {
	read, result := engine.Explain(q, classifier)
	e := explanation{
		Phase: q.Phase, Code: q.Reply.Code, Enhanced: q.Reply.Enhanced, Text: strings.Join(q.Reply.Lines, " "),
		Class: read.Class, Reason: result.Reason, Verdict: result.Verdict, Message: result.Message,
		RetryAfter: int64(read.RetryAfter.Seconds()), Provider: provider.Of(q.Host).Name, Rule: read.Rule,
		Source: "by its code alone: no rule matches the text",
	}
	if result.Reason == rcpt.ReasonBlocked {
		_, e.Remedy = doctor.Remedy(q)
	}
	if source, sample, isRule := classifier.Origin(read.Rule); isRule {
		e.Source, e.Sample = cmp.Or(source, "no source given"), sample
	}
	return e
}

// writeText prints the explanation as text.
func (e explanation) writeText(w io.Writer) error {
	var text strings.Builder
	for _, note := range []note{
		{"result", string(e.Verdict)},
		{"reason", string(e.Reason)},
		{"", e.Message},
		{"class", string(e.Class)},
		{"code", strings.TrimSpace(fmt.Sprintf("%d %s at %s", e.Code, e.Enhanced, e.Phase))},
		{"provider", e.Provider},
		{"rule", e.Rule},
		{"source", e.Source},
		{"as in", e.Sample},
		{"remedy", e.Remedy},
		{"retry in", wait(time.Duration(e.RetryAfter) * time.Second)},
	} {
		if note.text != "" {
			fmt.Fprintf(&text, "%-9s %s\n", note.name, tty.Printable(strings.ReplaceAll(note.text, "\n", " / ")))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
