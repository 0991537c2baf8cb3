package openapi

import (
	"encoding/json"
	"html"
	"path"
	"regexp"
	"strings"
	"testing"
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
	d, page := contract(t), string(render(file, here))
	has := func(what, text string) {
		t.Helper()
		if !strings.Contains(page, text) {
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
	if len(d.Webhooks) == 0 {
		t.Error("the contract has no webhooks")
	}
	for _, w := range d.Webhooks {
		for _, o := range w.Value {
			has("a request that the server sends", `<article class="card" id="`+o.Value.OperationID+`"`)
			has("the way to it", `<a href="#`+o.Value.OperationID+`">`+o.Value.Summary+`</a>`)
			for _, p := range o.Value.Parameters {
				has("its header", `<code>`+p.Name+`</code>`)
			}
			for _, body := range o.Value.RequestBody.Content {
				for _, f := range d.fields(body.Value.Schema) {
					has("its field", `<code>`+f.Name+`</code>`)
				}
				for _, e := range body.Value.Examples {
					has("its example", `Example: `+e.Value.Summary)
				}
			}
			for _, r := range o.Value.Responses {
				has("what an answer means", html.EscapeString(d.Components.Responses.get(path.Base(r.Value.Ref)).Description[:20]))
			}
		}
	}
	has("a large number", `<code class="break">1795428900</code>`)
	has("a field within a field", `<code>data.finished_at</code>`)
	has("an example of a job that was made", `Example: `+d.Paths.get("/api/v1/bulk").get("post").Responses.get("202").Content[0].Value.Examples[0].Value.Summary)
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
	if strings.Contains(page, "127.0.0.1") || strings.Contains(page, "RCPT_URL") {
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
		case !isAnchor && link[1] != "/" && link[1] != "/docs/guide" && Routes(nil)[link[1]] == nil:
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
