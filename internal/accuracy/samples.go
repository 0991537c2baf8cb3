package accuracy

import (
	"bytes"
	_ "embed" // the replies
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Replies is the embedded sample of labelled replies.
//
//go:embed replies.jsonl
var Replies []byte

// Sample counts the verdicts on a sample: JSON lines with labelled replies or
// labelled addresses.
//
// A row of a reply has its "phase", the "reply" (a string, or an array of
// lines), every right "verdict", and perhaps the domain of the mail "host". A
// row of an address has the "address", or a "generator" of parts that are
// strings or {"repeat":[TEXT,COUNT]}, and what to "expect" of its syntax:
// "valid" or "invalid". Rows that expect something else are left out.
func Sample(lines []byte) (tally Tally, err error) {
	number := 0
	for line := range bytes.Lines(lines) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var row row
		if err := json.Unmarshal(line, &row); err != nil {
			return tally, fmt.Errorf("line %d: %w", number, err)
		}
		count := row.countReply
		if row.Reply == nil {
			count = row.countAddress
		}
		if err := count(&tally); err != nil {
			return tally, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return tally, nil
}

type row struct {
	Phase     smtp.Phase        `json:"phase"`
	Reply     json.RawMessage   `json:"reply"`
	Verdict   []rcpt.Verdict    `json:"verdict"`
	Host      string            `json:"host"`
	Address   string            `json:"address"`
	Generator []json.RawMessage `json:"generator"`
	Expect    string            `json:"expect"`
}

func (r row) countReply(tally *Tally) error {
	lines := []string{""}
	if json.Unmarshal(r.Reply, &lines[0]) != nil {
		if err := json.Unmarshal(r.Reply, &lines); err != nil {
			return err
		}
	}
	reply, err := smtp.ParseReply(lines...)
	if err != nil {
		return err
	}
	q := replies.Input{Phase: r.Phase, Reply: reply, Host: "mx.example.test", Mailbox: "user@example.test"}
	if r.Host != "" {
		q.Host = "mx." + r.Host
	}
	if r.Phase == "banner" {
		q.Phase = smtp.PhaseGreeting
	}
	_, result := engine.Explain(q, replies.DefaultClassifier())
	tally.Add(result.Verdict, r.Verdict...)
	return nil
}

func (r row) countAddress(tally *Tally) error {
	text := r.Address
	for _, part := range r.Generator {
		more, err := generated(part)
		if err != nil {
			return err
		}
		text += more
	}
	got := rcpt.VerdictUndeliverable
	if _, err := address.Parse(text); err == nil {
		got = rcpt.VerdictDeliverable // as far as the syntax tells
	}
	switch r.Expect {
	case "valid":
		tally.Add(got, rcpt.VerdictDeliverable)
	case "invalid":
		tally.Add(got, rcpt.VerdictUndeliverable)
	}
	return nil
}

// maxRepeated bounds a generated address in octets.
const maxRepeated = 1 << 20

// generated returns a string, or what {"repeat":[text,count]} stands for.
func generated(part json.RawMessage) (text string, err error) {
	if json.Unmarshal(part, &text) == nil {
		return text, nil
	}
	var repeat struct {
		Repeat []json.RawMessage `json:"repeat"`
	}
	n := 0
	if err := json.Unmarshal(part, &repeat); err != nil {
		return "", err
	}
	if len(repeat.Repeat) != 2 ||
		json.Unmarshal(repeat.Repeat[0], &text) != nil || json.Unmarshal(repeat.Repeat[1], &n) != nil ||
		n < 0 || len(text)*n > maxRepeated {
		return "", fmt.Errorf("%s is not {\"repeat\":[TEXT,COUNT]}", part)
	}
	return strings.Repeat(text, n), nil
}
