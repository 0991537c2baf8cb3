package openapi

import (
	"bytes"
	_ "embed" // the template
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Site describes the server for the page.
type Site struct {
	Base      string // its URL for clients, such as https://verify.example.com
	Dashboard bool   // there is a dashboard, at "/"
	Theme     string // "light" or "dark"; else as the system has it
}

// view is what the template is given. The viewer reads the contract itself.
type view struct {
	Site
	Title, Summary string
	Snippets       []snippets.Snippet
	Anchors        string // in JSON: the names that the viewer has for ours
}

// render renders the page. The tests render it, too, so an error is a bug.
func render(site Site) []byte {
	d := described()
	names, err := json.Marshal(anchors())
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	v := view{site, d.Info.Title, plain(d.Info.Summary), snippets.Of(site.Base, ""), string(names)}
	if err := pageTemplate.Execute(&out, v); err != nil {
		panic(fmt.Sprintf("page.html: %v", err))
	}
	return out.Bytes()
}

// anchors are the names that RapiDoc has for the sections, by the anchors that
// links have: those do not change with the viewer.
func anchors() map[string]string {
	id := strings.NewReplacer(" ", "-", "#", "-", ":", "-", "?", "-", "&", "-", "=", "-", "{", "-", "}", "-")
	d := described()
	all := map[string]string{startAnchor: "overview", headersAnchor: "cmp--headers"}
	for _, c := range d.calls() {
		all[c.OperationID] = c.method + "-" + id.Replace(c.path)
	}
	for _, s := range d.Components.get("schemas") {
		all[objectAnchor+s.Name] = "cmp--schemas-" + strings.ToLower(s.Name)
	}
	return all
}
