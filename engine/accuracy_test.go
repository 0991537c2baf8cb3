package engine_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

var writeAccuracy = flag.Bool("write-accuracy", false, "write the table of accuracy into the README")

// The table stands between these lines of the README.
const (
	readme        = "../README.md"
	accuracyBegin = "<!-- make accuracy writes this table -->\n"
	accuracyEnd   = "<!-- end -->\n"
	accuracyHead  = "| what | number | right | dead ones found | falsely undeliverable | falsely deliverable |\n" +
		"| --- | --- | --- | --- | --- | --- |\n"
)

// The labelled data beside that of this repository.
const (
	otherReplies   = "../../shared/data/smtp-replies.sample.jsonl"
	otherAddresses = "../../shared/data/syntax.sample.jsonl"
)

// tally counts verdicts that are known to be right or wrong.
type tally struct {
	n, right, dead, found, falseDead, falseAlive int
}

// add counts a verdict, where those of right are right.
func (c *tally) add(got engine.Verdict, right ...engine.Verdict) {
	c.n++
	dead := slices.Equal(right, []engine.Verdict{engine.VerdictUndeliverable})
	if dead {
		c.dead++
	}
	switch {
	case slices.Contains(right, got):
		c.right++
		if dead {
			c.found++
		}
	case got == engine.VerdictUndeliverable:
		c.falseDead++
	case got == engine.VerdictDeliverable:
		c.falseAlive++
	}
}

func (c tally) row(name string) string {
	percent := func(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %d |\n", name, c.n, percent(c.right, c.n), percent(c.found, c.dead),
		c.falseDead, c.falseAlive)
}

// TestAccuracy: the README's table of accuracy is what rcpt makes of labelled
// situations, replies and addresses. Rows whose data is not here are left as
// they are.
func TestAccuracy(t *testing.T) {
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), accuracyBegin)
	table, after, ok2 := strings.Cut(rest, accuracyEnd)
	if !ok1 || !ok2 {
		t.Fatal("the README has no place for the table")
	}
	want := accuracyHead
	for _, part := range []struct {
		name  string
		count func(*testing.T) tally
	}{
		{"whole verifications against scripted mail hosts and DNS", countCases},
		{"replies from other projects' sources, documents and logs", func(t *testing.T) tally {
			return countReplies(t, "../smtpprobe/replies/testdata/replies.jsonl")
		}},
		{"another sample of such replies, not in the repository", func(t *testing.T) tally {
			return countReplies(t, otherReplies)
		}},
		{"addresses, by their syntax (is_email, RFC 5321, RFC 6531)", countAddresses},
	} {
		row := rowOf(table, part.name)
		t.Run(part.name, func(t *testing.T) { row = part.count(t).row(part.name) })
		want += row
	}
	if *writeAccuracy {
		if err := os.WriteFile(readme, []byte(before+accuracyBegin+want+accuracyEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if table != want {
		t.Errorf("run make accuracy: the README has\n%s\nand it is\n%s", table, want)
	}
}

// rowOf is the row of a table that has a name, or nothing.
func rowOf(table, name string) string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+name+" |") {
			return line
		}
	}
	return ""
}

// countCases plays the cases. Their wanted verdicts were read by people.
func countCases(t *testing.T) (c tally) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, archive)
			var want struct {
				Result engine.Verdict `json:"result"`
			}
			if err := json.Unmarshal(w.want, &want); err != nil {
				t.Fatal(file, err)
			}
			c.add(verifyIn(t, w).Verdict, want.Result)
		})
	}
	return c
}

// countReplies reads labelled replies. What is right is every verdict that the
// reply allows.
func countReplies(t *testing.T, file string) (c tally) {
	for _, line := range sampleLines(t, file) {
		var row struct {
			Phase   smtp.Phase
			Reply   json.RawMessage
			Verdict []engine.Verdict
			Host    string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		lines := []string{""}
		if json.Unmarshal(row.Reply, &lines[0]) != nil {
			if err := json.Unmarshal(row.Reply, &lines); err != nil {
				t.Fatal(err)
			}
		}
		reply, err := smtp.ParseReply(lines...)
		if err != nil {
			t.Fatal(err)
		}
		q := replies.Input{Phase: row.Phase, Reply: reply, Host: "mx.example.test", Mailbox: "user@example.test"}
		if row.Host != "" {
			q.Host = "mx." + row.Host
		}
		if row.Phase == "banner" {
			q.Phase = smtp.PhaseGreeting
		}
		_, result := engine.Explain(q, replies.DefaultClassifier())
		c.add(result.Verdict, row.Verdict...)
	}
	return c
}

// countAddresses parses labelled addresses: invalid ones are undeliverable.
func countAddresses(t *testing.T) (c tally) {
	for _, line := range sampleLines(t, otherAddresses) {
		var row struct {
			Address   string
			Generator []json.RawMessage
			Expect    string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		for _, part := range row.Generator {
			row.Address += generated(t, part)
		}
		got := engine.VerdictUndeliverable
		if _, err := address.Parse(row.Address); err == nil {
			got = engine.VerdictDeliverable // as far as the syntax tells
		}
		switch row.Expect {
		case "valid":
			c.add(got, engine.VerdictDeliverable)
		case "invalid":
			c.add(got, engine.VerdictUndeliverable)
		}
	}
	return c
}

// generated is a string, or {"repeat": [text, count]}.
func generated(t *testing.T, part json.RawMessage) (text string) {
	t.Helper()
	if json.Unmarshal(part, &text) == nil {
		return text
	}
	var repeat struct{ Repeat [2]json.RawMessage }
	var n int
	if err := json.Unmarshal(part, &repeat); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(repeat.Repeat[0], &text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(repeat.Repeat[1], &n); err != nil {
		t.Fatal(err)
	}
	return strings.Repeat(text, n)
}

func sampleLines(t *testing.T, file string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("SKIPPED: the sample is not here: ", err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}
