package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadScript(t *testing.T) {
	f := pkgFile{Arrays: []string{"A", "B"}}
	text := "const OTHER = [{ url: 'x' }]\nconst A = [\n 'a', \"b\",\n];\nvar B   = new Set([\"c\"]);\nmodule.exports = [...A];\n"
	got, err := readScript(text, f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(items([]string{"a", "b", "c"}), got, cmp.AllowUnexported(item{})); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{
		"", "module.exports = ['a']", "const AA = ['a'];", "const A = ['a', evil()];", "const A = ['a' + 'b'];", "const A = ['a\\x62'];", "const A = ['a]'];",
	} {
		if got, err := readScript(text, pkgFile{Arrays: []string{"A"}}); err == nil {
			t.Errorf("readScript(%q) = %q", text, got)
		}
	}
}

func TestFormatsRefuse(t *testing.T) {
	for _, tt := range []struct{ format, text string }{
		{"json", `{"a.example":1}`},
		{"fakefilter", `["a.example"]`},
		{"fakefilter", `{"version":3,"domains":{}}`},
		{"freemail", "score FREEMAIL_FROM 1\n"},
	} {
		if got, err := formats[tt.format](tt.text, pkgFile{}); err == nil {
			t.Errorf("%s %q: %v", tt.format, tt.text, got)
		}
	}
}
