// Package guide serves the documents for users as pages, with a search. The
// pages need no script, and load nothing but their styles.
package guide

import (
	"bytes"
	_ "embed" // the template and the style
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/docs"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
)

// Path is where the list of documents is; each document is below it.
const Path = "/docs/guide"

const stylePath = Path + "/guide.css"

//go:embed guide.css
var style []byte

//go:embed guide.html
var pageText string

var pageTemplate = template.Must(template.New("guide").Parse(pageText))

// policy lets a page have its styles, and send the form of the search to where
// it came from.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'"

// maxQuery bounds a search in octets.
const maxQuery = 100

// page is what the template is given.
type page struct {
	Title     string
	Theme     string // "light" or "dark"; else as the system has it
	Dashboard bool   // there is a dashboard, at "/"
	Documents []document
	Shelves   []shelf // on the first page
	Open      string  // the path of the document
	Body      template.HTML
	Query     string
	Hits      []hit
}

// read reads the documents at the first request.
var read = sync.OnceValues(func() ([]document, error) { return readAll(docs.Files) })

// reference is the page of the HTTP interface, which is searched, too.
var reference = sync.OnceValue(func() document {
	d := document{Title: "API reference", Path: "/docs"}
	for _, s := range openapi.Sections() {
		d.sections = append(d.sections, section{title: s.Title, id: s.ID, text: s.Text})
	}
	return d
})

// Serve answers a request for [Path] or a path below it.
func Serve(w http.ResponseWriter, r *http.Request, theme string, dashboard bool) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	if r.URL.Path == stylePath {
		header.Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(style) // an error means that the client has gone
		return
	}
	all, err := read()
	if err != nil {
		http.Error(w, "The documents cannot be read.", http.StatusInternalServerError)
		return
	}
	p := page{
		Title: "Documentation", Theme: theme, Dashboard: dashboard, Documents: all, Open: r.URL.Path,
		Shelves: shelvesOf(all),
	}
	status := http.StatusOK
	switch {
	case r.URL.Path == Path:
		p.Query = strings.TrimSpace(r.URL.Query().Get("q"))
		if len(p.Query) > maxQuery {
			p.Query = strings.ToValidUTF8(p.Query[:maxQuery], "")
		}
		p.Hits = search(append(slices.Clone(all), reference()), p.Query)
	default:
		found := false
		for _, d := range all {
			if d.Path == r.URL.Path {
				p.Title, p.Body, found = d.Title, d.Body, true
			}
		}
		if !found {
			p.Title, status = "There is no such document", http.StatusNotFound
		}
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w) // an error means that the client has gone
}
