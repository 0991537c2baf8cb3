package openapi

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/guide"
)

var here = Site{Base: "https://verify.example.com", Dashboard: true}

func contract(t *testing.T) *document {
	t.Helper()
	var d document
	if err := json.Unmarshal(file, &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// TestPageShowsAll: whatever the contract has, a reader of the page finds.
func TestPageShowsAll(t *testing.T) {
	d, html := contract(t), string(render(file, here))
	has := func(what, text string) {
		t.Helper()
		if !strings.Contains(html, text) {
			t.Errorf("the page lacks %s: %s", what, text)
		}
	}
	for _, p := range d.Paths {
		for _, o := range p.Value {
			if o.Name == "head" {
				continue
			}
			has("an operation", `id="`+o.Value.OperationID+`"`)
			if len(o.Value.Tags) != 1 {
				t.Errorf("%s has %d tags", p.Name, len(o.Value.Tags))
			}
		}
	}
	for _, s := range d.Components.Schemas {
		for _, p := range s.Value.Properties {
			has("a field", `<code>`+p.Name+`</code>`)
			if p.Value.Description == "" {
				t.Errorf("%s.%s has no description", s.Name, p.Name)
			}
		}
		for _, v := range s.Value.EnumDescriptions {
			has("a value", `<dt><code>`+v.Name+`</code>`)
		}
	}
	for _, name := range []string{"X-Request-Id", "Retry-After", "RateLimit-Policy", "WWW-Authenticate", "Allow", "ETag"} {
		has("a header", `<th scope="row"><code>`+name+`</code>`)
	}
	has("the command line", "curl -G https://verify.example.com/api/v1/verify")
	has("its parameter", "--data-urlencode &#39;email=alice@acme.example&#39;")
	has("the body of a POST", `-d &#39;{&#34;email&#34;:&#34;alice@acme.example&#34;,&#34;details&#34;:true}&#39;`)
	for _, id := range []string{"curl", "go", "python", "js"} {
		has("a language", `data-language="`+id+`"`)
	}
	has("the way back", `<a href="/">`)
	if strings.Contains(html, "127.0.0.1") || strings.Contains(html, "RCPT_URL") {
		t.Error("the page names another server than this one")
	}
	if alone := string(render(file, Site{Base: "http://a.example", Theme: "dark"})); strings.Contains(alone, `<a href="/">`) || !strings.Contains(alone, `data-theme="dark"`) {
		t.Error("without a dashboard there is a way to it, or the theme is lost")
	}
}

// TestPageLinks: every link of the page leads somewhere on it, or to one of our
// routes.
func TestPageLinks(t *testing.T) {
	html := string(render(file, here))
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		target, isAnchor := strings.CutPrefix(link[1], "#")
		switch {
		case isAnchor && !strings.Contains(html, `id="`+target+`"`):
			t.Errorf("there is no %s", link[1])
		case !isAnchor && link[1] != "/" && link[1] != guide.Path && Routes(nil)[link[1]] == nil:
			t.Errorf("%s is none of the routes", link[1])
		}
	}
	if strings.Contains(html, "style=") || strings.Contains(html, "<script>") || strings.Contains(html, "onclick") || strings.Contains(html, "ZgotmplZ") {
		t.Error("the page has what its policy forbids, or what html/template refused")
	}
}

// TestEveryValueIsExplained: the words of a closed set with explanations are
// all explained.
func TestEveryValueIsExplained(t *testing.T) {
	d := contract(t)
	check := func(where string, s schema) {
		if len(s.EnumDescriptions) == 0 {
			return
		}
		var explained []string
		for _, v := range s.EnumDescriptions {
			explained = append(explained, v.Name)
		}
		var words []string
		for _, word := range s.Enum {
			words = append(words, word.(string))
		}
		if got, want := strings.Join(explained, " "), strings.Join(words, " "); got != want {
			t.Errorf("%s: explained %s, want %s", where, got, want)
		}
	}
	for _, s := range d.Components.Schemas {
		check(s.Name, s.Value)
		for _, p := range s.Value.Properties {
			check(s.Name+"."+p.Name, p.Value)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	hostile := `{"info":{"title":"<b>","summary":"a ` + "`<i>`" + ` b"},"paths":{},"components":{"schemas":{"A":{"properties":{"<x>":{"type":["string","null"],"examples":["</code>"]}}}}}}`
	html := string(render([]byte(hostile), here))
	for _, bad := range []string{"<b>", "<i>", "<x>", "</code></code>"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if !strings.Contains(html, "a <code>&lt;i&gt;</code> b") || !strings.Contains(html, "string or null") {
		t.Error("the page lacks what it was given")
	}
}
