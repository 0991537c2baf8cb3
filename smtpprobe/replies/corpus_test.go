package replies

import (
	"encoding/json"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// labelled is a reply with what it is right to make of it.
type labelled struct {
	Phase    smtp.Phase `json:"phase"`
	Reply    lines      `json:"reply"`
	Class    Class      `json:"class"`
	Verdict  []string   `json:"verdict"` // every verdict that is right
	Provider string     `json:"provider"`
	Host     string     `json:"host"`
	Lang     string     `json:"lang"`
	Source   string     `json:"source"`
}

// lines are a reply's; one line may stand without brackets.
type lines []string

func (l *lines) UnmarshalJSON(data []byte) error {
	var line string
	if json.Unmarshal(data, &line) == nil {
		*l = lines{line}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

func (l labelled) question(t *testing.T) Input {
	t.Helper()
	reply, err := smtp.ParseReply(l.Reply...)
	if err != nil {
		t.Fatalf("%q: %v", l.Reply, err)
	}
	q := Input{Phase: l.Phase, Reply: reply, Host: "mx.example.test", Mailbox: "user@example.test"}
	if l.Host != "" {
		q.Host = "mx." + l.Host
	}
	if q.Phase == "banner" {
		q.Phase = smtp.PhaseGreeting
	}
	return q
}

// verdictOf returns the verdict that a class leads to if the reply is the
// target's and the control was refused as an unknown mailbox.
func verdictOf(class Class) string {
	switch class {
	case ClassOK:
		return "deliverable"
	case ClassNoSuchUser, ClassDisabled, ClassMoved:
		return "undeliverable"
	}
	return "unknown"
}

func readLabelled(t *testing.T, file string) []labelled {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("SKIPPED: the labelled replies are not here: ", err)
	}
	var rows []labelled
	for line := range strings.Lines(string(data)) {
		var row labelled
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestLabelledReplies reads labelled replies from other projects' sources,
// documents and logs, those of the sample corpus that may lie beside the
// repository, and wordings that were thought of to try the rules and labelled
// before they were read. None may be wrongly read as undeliverable.
func TestLabelledReplies(t *testing.T) {
	for name, in := range map[string]struct {
		file                  string
		mostWrong, leastFound int // in per cent
	}{
		"attested": {"../../internal/accuracy/replies.jsonl", 1, 95},
		"sample":   {"../../../shared/data/smtp-replies.sample.jsonl", 1, 98},
		"wordings": {"testdata/wordings.jsonl", 1, 98},
	} {
		t.Run(name, func(t *testing.T) {
			rows := readLabelled(t, in.file)
			var wrong, dead, found int
			for _, row := range rows {
				q := row.question(t)
				reading := DefaultClassifier().Read(q)
				verdict := verdictOf(reading.Class)
				onlyDead := slices.Equal(row.Verdict, []string{"undeliverable"})
				if onlyDead {
					dead++
				}
				switch {
				case slices.Contains(row.Verdict, verdict):
					if onlyDead {
						found++
					}
					continue
				case verdict != "unknown":
					t.Errorf("falsely %s: %q read as %s by %s, is %s", verdict, row.Reply, reading.Class, reading.Rule, row.Class)
				}
				wrong++
				t.Logf("%s %q read as %s by %s, is %s", row.Phase, row.Reply, reading.Class, reading.Rule, row.Class)
			}
			t.Logf("%d of %d right; %d of %d dead mailboxes found", len(rows)-wrong, len(rows), found, dead)
			if wrong*100 > in.mostWrong*len(rows) || found*100 < in.leastFound*dead {
				t.Errorf("%d of %d wrong, %d of %d dead mailboxes found; want %d %% and %d %%",
					wrong, len(rows), found, dead, in.mostWrong, in.leastFound)
			}
		})
	}
}

// TestPerturbedReplies changes what carries no meaning (case, blanks, numbers,
// addresses, line breaks) and expects the same class.
func TestPerturbedReplies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range slices.Concat(
		readLabelled(t, "../../internal/accuracy/replies.jsonl"), readLabelled(t, "testdata/wordings.jsonl"),
	) {
		q := row.question(t)
		want := DefaultClassifier().Read(q).Class
		for name, perturb := range perturbations(random) {
			changed := q
			changed.Reply.Lines = perturb(slices.Clone(q.Reply.Lines))
			if got := DefaultClassifier().Read(changed); got.Class != want {
				t.Errorf("%s: %q read as %s by %s, before %s", name, changed.Reply.Lines, got.Class, got.Rule, want)
			}
		}
	}
}

// longNumber is a number that says nothing: a queue id, a ticket, a time.
var longNumber = regexp.MustCompile(`\b[0-9]{5,}\b`)

func perturbations(random *rand.Rand) map[string]func([]string) []string {
	each := func(change func(string) string) func([]string) []string {
		return func(lines []string) []string {
			for i := range lines {
				lines[i] = change(lines[i])
			}
			return lines
		}
	}
	return map[string]func([]string) []string{
		"upper case":         each(upperCase),
		"blanks":             each(func(s string) string { return "  " + strings.ReplaceAll(s, " ", "   ") + " " }),
		"another address":    each(func(s string) string { return strings.ReplaceAll(s, "user@example.test", "j.doe@example.org") }),
		"another IP address": each(func(s string) string { return strings.ReplaceAll(s, "192.0.2.10", "198.51.100.77") }),
		"other numbers":      each(func(s string) string { return longNumber.ReplaceAllString(s, "8675309") }),
		"line break": func(lines []string) []string {
			words := strings.Fields(strings.Join(lines, " "))
			if len(words) < 2 {
				return lines
			}
			cut := 1 + random.IntN(len(words)-1)
			return []string{strings.Join(words[:cut], " "), strings.Join(words[cut:], " ")}
		},
	}
}

// upperCase changes the case of ASCII letters, except in links.
func upperCase(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if !strings.Contains(word, "://") {
			words[i] = strings.Map(func(r rune) rune {
				if 'a' <= r && r <= 'z' {
					return r - 'a' + 'A'
				}
				return r
			}, word)
		}
	}
	return strings.Join(words, " ")
}

// TestEveryMailboxPhraseIsAttested checks that each phrase that can prove a
// mailbox dead occurs in a rule's sample or a labelled reply: a phrase that no
// server sends can only do harm.
func TestEveryMailboxPhraseIsAttested(t *testing.T) {
	rules := DefaultClassifier().rules()
	found := make(phraseSet, len(rules.phrases.phrases)/64+1)
	note := func(q Input) {
		for i, bits := range rules.phrases.find(wordsOf(q, nil)) {
			found[i] |= bits
		}
	}
	for _, row := range readLabelled(t, "../../internal/accuracy/replies.jsonl") {
		note(row.question(t))
	}
	for _, r := range rules.ordered {
		for _, sample := range r.samples {
			reply, err := smtp.ParseReply(strings.Split(sample, "\n")...)
			if err != nil {
				t.Fatal(err)
			}
			note(Input{Reply: reply, Mailbox: "user@example.com"})
		}
	}
	for _, r := range rules.ordered {
		if verdictOf(r.class) != "undeliverable" {
			continue
		}
		for i, n := range r.text {
			if !found.has(n) {
				t.Errorf("rule %s: phrase %d of its text is in no sample", r.id, i+1)
			}
		}
	}
}
