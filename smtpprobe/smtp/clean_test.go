package smtp

import (
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		"plain":          "plain",
		"a\tb":           "a b",
		"ä\u00a0漢 🙂":     "ä\u00a0漢 🙂",
		"\x00\x07\x1b":   `\x00\a\x1b`,
		"caf\xe9":        "café",
		"\x81":           "\ufffd",
		"\u202e\u200b":   `\u202e\u200b`,
		"\u2028":         `\u2028`,
		"\\x00 as it is": `\x00 as it is`,
	} {
		got := Clean(in)
		if got != want || Clean(got) != got {
			t.Errorf("clean(%q) = %q, then %q; want %q", in, got, Clean(got), want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abc…"},
		{"äääää", 8, "ää…"},
		{"äääää", 9, "äää…"},
	} {
		if got := Truncate(tt.in, tt.limit); got != tt.want {
			t.Errorf("truncate(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
