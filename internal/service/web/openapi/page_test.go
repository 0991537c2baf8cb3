package openapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/docs"
)

var here = Site{Base: "https://verify.example.com", Dashboard: true}

// TestPage: the page has what the viewer does not know, and names this server.
func TestPage(t *testing.T) {
	page := string(render(here))
	for _, want := range []string{
		`<a href="/">`, "https://verify.example.com/api/v1/verify",
		`data-language="curl"`, `data-language="go"`, `data-language="python"`, `data-language="js"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "127.0.0.1") || strings.Contains(page, "RCPT_URL") {
		t.Error("the page names another server than this one")
	}
	alone := string(render(Site{Base: "http://a.example", Theme: "dark"}))
	if strings.Contains(alone, `<a href="/">`) || !strings.Contains(alone, `data-theme="dark"`) {
		t.Error("without a dashboard there is a way to it, or the theme is lost")
	}
	if hostile := string(render(Site{Base: `http://a.example"><b>`})); strings.Contains(hostile, "<b>") {
		t.Error("the base is not escaped")
	}
}

// TestPageLinks: every link of the page leads to one of our routes or
// documents, and nothing is inline.
func TestPageLinks(t *testing.T) {
	html := string(render(here))
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		document, found := strings.CutPrefix(link[1], "/docs/guide/")
		if _, err := docs.Files.ReadFile(document + ".md"); found && err == nil {
			continue
		}
		if link[1] != "/" && link[1] != "/docs/guide" && Routes(nil)[link[1]] == nil {
			t.Errorf("%s is none of the routes", link[1])
		}
	}
	if strings.Contains(html, " style=") || strings.Contains(html, "<script>") || strings.Contains(html, "onclick") || strings.Contains(html, "ZgotmplZ") {
		t.Error("the page has what its policy forbids, or what html/template refused")
	}
}

// TestAnchors: the viewer has a name for each section, so that links that were
// made for an earlier page lead there.
func TestAnchors(t *testing.T) {
	found := anchors()
	for _, s := range Sections() {
		if found[s.ID] == "" {
			t.Errorf("there is no anchor %s", s.ID)
		}
	}
	for anchor, want := range map[string]string{
		"start": "overview", "headers": "cmp--headers", "object-Reason": "cmp--schemas-reason",
		"verify": "get-/api/v1/verify", "getJob": "get-/api/v1/bulk/-id-", "onJob": "post-job",
	} {
		if found[anchor] != want {
			t.Errorf("%s leads to %q, want %q", anchor, found[anchor], want)
		}
	}
}

// TestContract has what the page needs of the contract.
func TestContract(t *testing.T) {
	d := described()
	if len(d.Webhooks) == 0 || len(d.Paths) < 10 || len(d.Components.get("schemas")) < 20 {
		t.Error("a part of the contract is missing")
	}
	for _, c := range d.calls() {
		var o struct{ Tags []string }
		if err := json.Unmarshal(c.raw, &o); err != nil || len(o.Tags) != 1 || c.OperationID == "" || c.Summary == "" {
			t.Errorf("%s %s: %d tags, %v, called %q", c.method, c.path, len(o.Tags), err, c.OperationID)
		}
	}
	for _, s := range d.Components.get("schemas") {
		var schema struct {
			Properties map[string]struct{ Description, Ref string }
		}
		if err := json.Unmarshal(bytes.ReplaceAll(s.Value, []byte("$ref"), []byte("ref")), &schema); err != nil {
			t.Fatal(err)
		}
		for name, property := range schema.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", s.Name, name)
			}
		}
	}
}

// TestViewer: it is the file that the README names, and asks no other server by
// itself.
func TestViewer(t *testing.T) {
	reader, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		t.Fatal(err)
	}
	code, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(code, []byte("/*! RapiDoc 9.3.8 ")) {
		t.Errorf("it begins with %.40s", code)
	}
	page := string(render(here))
	for _, off := range []string{
		`load-fonts="false"`, `persist-auth="false"`, `allow-server-selection="false"`,
		`allow-spec-url-load="false"`, `allow-spec-file-load="false"`,
	} {
		if !strings.Contains(page, off) {
			t.Errorf("the page lacks %s", off)
		}
	}
}

// TestEveryValueIsExplained: the words of a closed set with explanations are
// all explained.
func TestEveryValueIsExplained(t *testing.T) {
	sets := 0
	var check func(where string, part json.RawMessage)
	check = func(where string, part json.RawMessage) {
		var object ordered[json.RawMessage]
		if json.Unmarshal(part, &object) != nil {
			return
		}
		var explained ordered[string]
		if json.Unmarshal(object.get("x-enumDescriptions"), &explained) == nil {
			sets++
			var names, words []string
			for _, v := range explained {
				names = append(names, v.Name)
			}
			if err := json.Unmarshal(object.get("enum"), &words); err != nil || !slices.Equal(names, words) {
				t.Errorf("%s: explained %s, want %s; %v", where, names, words, err)
			}
		}
		for _, m := range object {
			check(where+"."+m.Name, m.Value)
		}
	}
	check("contract", file)
	if sets < 5 {
		t.Errorf("only %d sets are explained", sets)
	}
}
