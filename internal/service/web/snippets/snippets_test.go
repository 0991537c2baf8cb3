package snippets

import (
	"go/parser"
	"go/token"
	"net/http"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, key := range []string{"", "rcpt_abc"} {
		all := Of("https://verify.example.com", key)
		if len(all) != 4 {
			t.Fatalf("%d programs", len(all))
		}
		for _, s := range all {
			shown := key
			if key == "" {
				shown = "RCPT_API_KEY"
			}
			for _, part := range []string{"https://verify.example.com/api/v1/verify", "X-API-Key", shown, "details"} {
				if !strings.Contains(s.Code, part) {
					t.Errorf("%s lacks %s:\n%s", s.Language, part, s.Code)
				}
			}
			if s.ID == "go" {
				if _, err := parser.ParseFile(token.NewFileSet(), "main.go", s.Code, 0); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestBase(t *testing.T) {
	for host, want := range map[string]string{
		"verify.example.com": "https://verify.example.com", "127.0.0.1:8080": "https://127.0.0.1:8080", "[::1]:80": "https://[::1]:80",
		"": "https://YOUR-SERVER", "a b": "https://YOUR-SERVER", `x";rm`: "https://YOUR-SERVER", "$(x)": "https://YOUR-SERVER", "`x`": "https://YOUR-SERVER",
	} {
		if got := Base(&http.Request{Host: host}, true); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
	if got := Base(&http.Request{Host: "a.example"}, false); got != "http://a.example" {
		t.Errorf("without TLS: %s", got)
	}
}
