package yamlfile

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

type file struct {
	Name  string              `yaml:"name"`
	Wait  time.Duration       `yaml:"wait"`
	Codes []string            `yaml:"codes"`
	Sets  map[string][]string `yaml:"sets"`
}

// mistakes have each an error that names the line.
var mistakes = []struct{ name, text, want string }{
	{"brackets", "a: 1\nb: " + strings.Repeat("[", 100_000), "line 2: more than 20 mappings and sequences within each other"},
	{"braces", "a: " + strings.Repeat("{a: ", 50_000), "line 1: more than 20"},
	{"dashes", strings.Repeat("- ", 100_000), "line 1: more than 20"},
	{"question marks", strings.Repeat("? ", 100_000), "line 1: more than 20"},
	{"question marks in braces", strings.Repeat("{? ", 50_000), "line 1: more than 20"},
	{"keys", strings.Repeat("a: ", 50_000), "line 1: mapping values are not allowed"},
	{"nested mappings", nested(600), "line 21: more than 20"},
	{"a chain of aliases", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "line 1: anchors (&name) and aliases (*name) are not supported"},
	{"a billion laughs", laughs(30), "line 1: anchors"},
	{"an alias of itself", "a: &a [*a]\n", "line 1: "},
	{"merged mappings", "a: &a {x: 1}\nb: {<<: [*a, *a]}\n", "line 2: anchors"},
	{"an alias without an anchor", "x: 1\nb: *a\n", "line 2: unknown anchor"},
	{"anchors", strings.Repeat("&a ", 50_000), "line 1: "},
	{"commas", "a: [" + strings.Repeat(",", 200_000), "line 1: "},
	{"a long file", strings.Repeat("#", 300<<10), "longer than 256 KiB"},

	{"a second document", "a: 1\n---\nb: 2\n", "line 2: another document begins"},
	{"a second document of two with signs", "---\na: 1\n---\nb: 2\n", "line 3: another document begins"},
	{"a second document after an end", "a: 1\n...\nb: 2\n", "line 3: another document begins"},
	{"a mistake in a second document", "a: 1\n---\nb: [2\n", "line "},

	{"a key that stands twice", "# x\na: 1\na: 2\n", `line 3: mapping key "a" already defined`},
	{"a key that stands twice further down", "b:\n  - {a: 1, a: 2}\n", `line 2: mapping key "a" already defined`},
	{"a bracket that is not closed", "a: [1, 2\nb: 3\n", "line 2: while parsing a flow sequence: did not find expected ',' or ']'"},
	{"a tab", "a:\n\tb: 1\n", "line 2: found character that cannot start any token"},
	{"two colons", "# x\na: b: c\n", "line 2: mapping values are not allowed"},
	{"a control character", "a: 1\nb: \x01\n", "line 2: control characters are not allowed"},
	{"no text", "a: 1\nb: \xff\n", "line 2: invalid leading UTF-8 octet"},
}

func TestMistakes(t *testing.T) {
	for _, tt := range mistakes {
		var got any
		if err := Load([]byte(tt.text), &got); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestStrict has files that do not fit the value.
func TestStrict(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"name: a\nnmae: b\n", `line 2: unknown field "nmae"`},
		{"just words\n", "line 1: cannot construct"},
		{"sets:\n  - a\n", "line 2: cannot construct"},
		{"wait: soon\n", "line 1: cannot construct !!str `soon` into time.Duration"},
	} {
		var got file
		if err := Load([]byte(tt.text), &got); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	for name, text := range map[string]string{
		"a document with both signs": "# a comment\n---\nname: a\n...\n# another\n",
		"a document with its sign":   "# a comment\n---\nname: a\n",
		"signs in texts":             "name: a # &x *x [[[[[[[[[[[[[[[[[[[[[[[\ncodes: ['&x *x']\n",
		"siblings":                   "name: a\ncodes:\n" + strings.Repeat("- b\n", 10_000),
		"numbers as texts":           "name: a\ncodes: [450, 5.10, 1e3]\nwait: 90s\n",
		"an empty value":             "name: a\nsets:\n",
	} {
		var got file
		if err := Load([]byte(text), &got); err != nil || got.Name != "a" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		got := file{Name: "kept"}
		if err := Load([]byte(text), &got); err != nil || got.Name != "kept" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	var deep any
	if err := Load([]byte(nested(20)), &deep); err != nil {
		t.Errorf("as deep as may be: %v", err)
	}
	var codes file
	if err := Load([]byte("codes: [450, 5.10, 0x10, 1_0, true, 2026-01-31]"), &codes); err != nil ||
		fmt.Sprint(codes.Codes) != "[450 5.10 0x10 1_0 true 2026-01-31]" {
		t.Errorf("texts are %q, %v", codes.Codes, err)
	}
}

// TestMemory: what is read of a file takes less than a thousand times its size.
func TestMemory(t *testing.T) {
	files := []string{
		"a: [" + strings.Repeat("a,", 100_000) + "]",
		strings.Repeat("- a\n", 60_000),
		strings.Repeat("- {a: b}\n", 25_000),
		"a: |\n" + strings.Repeat(" x\n", 60_000),
		"[" + strings.Repeat("[],", 80_000) + "]",
	}
	for _, m := range mistakes {
		files = append(files, m.text)
	}
	for _, text := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var got any
		_ = Load([]byte(text), &got) // of some, TestMistakes has the error
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1000*uint64(len(text))+1<<20 {
			t.Errorf("%d kB for %.20q… of %d kB", used>>10, text, len(text)>>10)
		}
	}
}

// TestFlow: what is written in one line is read as the same.
func TestFlow(t *testing.T) {
	long := strings.Repeat("a b ", 100)
	file, err := Parse([]byte("list:\n- name: a # first\n  # second\n  since: 2026-01-31\n  weight: 010\n" +
		"  text: |\n    one\n    two: [\n  long: '" + long + "'\n- {\"10\": \"true\", proxy: 'socks5://u:p@192.0.2.1:1080'}\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := file.Content[1]
	var want, got any
	if err := Decode(list, &want); err != nil {
		t.Fatal(err)
	}
	line, err := Flow(list)
	if err != nil || strings.Contains(line, "\n") {
		t.Errorf("%q, %v", line, err)
	}
	if err := Load([]byte(line), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q: %v, want %v; %v", line, got, want, err)
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

// laughs repeats a sequence of ten, and that, and so on.
func laughs(levels int) string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < levels; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}
