package replies

import (
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"slices"
	"testing"
)

// TestFoundAgain checks that the memory and a search find the same phrases, for
// every sample of the rules and for different mailboxes.
func TestFoundAgain(t *testing.T) {
	c, err := NewClassifier()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 2 {
		for _, r := range c.rules().ordered {
			for _, sample := range r.samples {
				for _, mailbox := range []string{"a@b.example", "someone.else@c.example"} {
					words := wordsOf(Input{Reply: smtp.Reply{Code: 550, Lines: []string{sample, "<" + mailbox + ">"}}, Mailbox: mailbox}, nil)
					if got, want := c.rules().phrases.find(words), c.rules().phrases.search(c.rules().phrases.vocabulary.tokens(words, nil)); !slices.Equal(got, want) {
						t.Errorf("%q: found %v, and by a search %v", sample, got, want)
					}
					read++
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("%d samples, too few to say anything", read)
	}
}

// TestMailboxesShareWhatIsFound checks that replies that differ only in the
// mailbox are searched once.
func TestMailboxesShareWhatIsFound(t *testing.T) {
	c, err := NewClassifier()
	if err != nil {
		t.Fatal(err)
	}
	for _, mailbox := range []string{"x@y.example", "z@w.example"} {
		c.rules().phrases.find(wordsOf(Input{Reply: smtp.Reply{Code: 550, Lines: []string{"wholly unheard of <" + mailbox + ">"}}, Mailbox: mailbox}, nil))
	}
	if n := len(c.rules().phrases.memory.younger); n != 1 {
		t.Errorf("%d entries, want one", n)
	}
}

// TestTokensHaveTheirOwnKey: however atoms are dealt out among words.
func TestTokensHaveTheirOwnKey(t *testing.T) {
	word := func(thing bool, atoms ...atom) token {
		tok := token{thing: thing}
		for _, a := range atoms {
			tok.add(a)
		}
		return tok
	}
	keys := map[string]bool{}
	lists := [][]token{
		{}, {word(false)}, {word(true)}, {word(false), word(false)}, {word(false, 1)}, {word(true, 1)}, {word(false, 1, 2)}, {word(false, 1), word(false, 2)},
		{word(false), word(false, 1)}, {word(false, 1), word(false)}, {word(false, 256)}, {word(false, 2, 1)}, {word(false, 0)}, {word(false, 0, 0)},
		{word(false, 0), word(false, 0)},
	}
	for _, tokens := range lists {
		keys[string(appendTokens(nil, tokens))] = true
	}
	if len(keys) != len(lists) {
		t.Errorf("%d lists of words have %d keys", len(lists), len(keys))
	}
}
