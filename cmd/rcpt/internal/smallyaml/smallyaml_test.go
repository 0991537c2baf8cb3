package smallyaml

import (
	"strings"
	"testing"
)

// TestCheck has files of a few hundred kilobytes for which the parser takes
// gigabytes or minutes.
func TestCheck(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"brackets", "a: 1\nb: " + strings.Repeat("[", 100_000), "line 2: more than 20 mappings and sequences within each other"},
		{"braces", "a: " + strings.Repeat("{a: ", 50_000), "line 1: more than 20"},
		{"dashes", strings.Repeat("- ", 100_000), "line 1: more than 20"},
		{"question marks", strings.Repeat("? ", 100_000), "line 1: more than 20"},
		{"keys", strings.Repeat("a: ", 50_000), "line 1: more than 20"},
		{"nested mappings", nested(600), "line 21: more than 20"},
		{"chain of aliases", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "line 1: anchors (&name) and aliases"},
		{"an alias", "b: *a\n", "line 1: anchors"},
		{"anchors", strings.Repeat("&a ", 50_000), "line 1: anchors"},
		{"commas", "a: [" + strings.Repeat(",", 200_000), "line 1: the file has more than 48000"},
		{"long", strings.Repeat("#", 300<<10), "longer than 256 KiB"},

		{"second document", "a: 1\n---\nb: 2\n", "line 2: another document begins"},
		{"second document of two with signs", "---\na: 1\n---\nb: 2\n", "line 3: another document begins"},
		{"second document after an end", "a: 1\n...\nb: 2\n", "line 3: another document begins"},

		{"empty", "", ""},
		{"one document with both signs", "# a comment\n---\na: 1\n...\n# another\n", ""},
		{"one document with its sign", "# a comment\n---\na: 1\n", ""},
		{"as deep as may be", nested(20), ""},
		{"signs in texts", "a: '" + strings.Repeat("[", 1000) + "'\nb: \"&x *x\"\nc: # &x *x [[[\n", ""},
		{"siblings", strings.Repeat("a:\n  - b: [c, d]\n", 1000), ""},
		{"indented again", strings.Repeat("a:\n    b:\n        c: d\ne:\n  f:\n      g: h\n", 100), ""},
	} {
		err := Check([]byte(tt.text))
		if err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// nested is a mapping with so many levels.
func nested(levels int) string {
	var text strings.Builder
	for i := range levels {
		text.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return text.String()
}
