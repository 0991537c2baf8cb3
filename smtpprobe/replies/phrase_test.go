package replies

import (
	"strings"
	"testing"
)

// TestPhrases holds the notation of phrases to what its comment says.
func TestPhrases(t *testing.T) {
	sets := map[string][]string{"who": {"user", "mail box"}}
	for _, tt := range []struct {
		phrase, text string
		want         bool
	}{
		{"user unknown", "The user is UNKNOWN.", true},
		{"user unknown", "unknown user", false},
		{"user unknown", "user very unknown", false},
		{"user unknown", "user <a@b.example> mx.b.example 192.0.2.1 42 unknown", true},
		{"user unknown", "user 1 2 3 4 5 unknown", false}, // more things than are passed over
		{"susp* user", "suspicious user", true},
		{"susp* user", "suspend the other user", false},
		{"(user|local part) unknown", "local-part unknown", true},
		{"$who unknown", "mailbox unknown", true},
		{"$who unknown", "inbox unknown", false},
		{"user .. unknown", "user one two three four five unknown", true},
		{"user .. unknown", "user one two three four five six unknown", false},
		{"user ?very unknown", "user unknown", true},
		{"user ?very unknown", "user very unknown", true},
		{"user ?very unknown", "user quite unknown", false},
		{"<addr> unknown", "a@b.example unknown", true},
		{"<addr> unknown", "user unknown", false},
		{"~spamhaus", "see zen.spamhaus.org", true},
		{"~spamhaus", "see spamhaus", false},
		{"<#> days", "for 3 days", true},
	} {
		index := &phraseIndex{vocabulary: newVocabulary()}
		p, err := phraseParser{sets: sets, vocabulary: index.vocabulary}.parse(tt.phrase)
		if err != nil {
			t.Fatal(err)
		}
		n := index.add(p)
		if got := index.find(splitWords(strings.ToLower(tt.text), "", "", nil)).has(n); got != tt.want {
			t.Errorf("%q in %q: %v, want %v", tt.phrase, tt.text, got, tt.want)
		}
	}
}
