package replies

import (
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"strconv"
	"strings"
	"testing"
)

// TestMemoryTellsQuestionsApart checks that different inputs have different
// keys, however their parts are cut.
func TestMemoryTellsQuestionsApart(t *testing.T) {
	questions := []Input{
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}},
		{Phase: smtp.PhaseMAIL, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 450, Lines: []string{"user unknown"}}},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Enhanced: "5.7.1", Lines: []string{"user unknown"}}},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"no such user"}}},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}, Host: "mx.test"},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}, Mailbox: "mx.test"},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}, Sender: "mx.test"},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}, Host: "mx.", Mailbox: "test"},
		{Phase: smtp.PhaseRCPT, Reply: smtp.Reply{Code: 550, Lines: []string{"user unknown"}}, Host: "mx", Mailbox: ".test"},
	}
	var m memory[Classification]
	for i, q := range questions {
		key := q.appendKey(nil)
		if reading, ok := m.recall(key); ok {
			t.Errorf("%+v: taken for the question of %s", q, reading.Rule)
		}
		m.remember(key, Classification{Rule: strconv.Itoa(i)})
	}
	for i, q := range questions {
		if reading, ok := m.recall(q.appendKey(nil)); !ok || reading.Rule != strconv.Itoa(i) {
			t.Errorf("%+v: %t, reading %s, want %d", q, ok, reading.Rule, i)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m memory[Classification]
	m.remember(make([]byte, maxQuestion+1), Classification{})
	used := []byte("used")
	m.remember(used, Classification{})
	for i := range 10 * maxRemembered {
		m.remember(strconv.AppendInt(nil, int64(i), 10), Classification{})
		if _, ok := m.recall(used); !ok {
			t.Fatalf("forgotten after %d others, though it was used", i)
		}
		if len(m.younger) > maxRemembered || len(m.older) > maxRemembered {
			t.Fatalf("%d and %d questions are held", len(m.younger), len(m.older))
		}
	}
	for key := range m.older {
		if len(key) > maxQuestion {
			t.Error("a question is too long")
		}
	}
	if _, ok := m.recall([]byte("0")); ok {
		t.Error("what nobody asked for is not forgotten")
	}
}

// What was read of a reply does not change when it is read again.
func TestReadingAgain(t *testing.T) {
	for _, r := range DefaultClassifier().rules().ordered {
		for _, sample := range r.samples {
			reply, err := smtp.ParseReply(strings.Split(sample, "\n")...)
			if err != nil {
				t.Fatal(err)
			}
			q := Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: "mx.example.test", Mailbox: "user@example.com"}
			want := DefaultClassifier().read(q)
			for range 2 {
				if got := DefaultClassifier().Read(q); got != want {
					t.Errorf("%q: %+v, want %+v", sample, got, want)
				}
			}
		}
	}
}
