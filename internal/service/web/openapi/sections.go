package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Section is a part of the page for a search.
type Section struct {
	Title string
	ID    string // its anchor
	Text  string
}

// Sections are the parts of the page: its beginning, each operation, each
// request that the server sends, each object, and the headers.
func Sections() []Section {
	var d document
	if err := json.Unmarshal(file, &d); err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err)) // it is embedded, and tested
	}
	v := d.view(Site{})
	all := []Section{{v.Title + " API", "start", words(v.Summary) + words(v.Intro...) + words(v.Keys...)}}
	for _, g := range v.Groups {
		for _, c := range g.Operations {
			text := strings.TrimSpace(c.Method+" "+c.Path) + ". " + words(c.Meaning...) + words(c.Body) +
				wordsOf(c.BodyFields) + wordsOf(c.Parameters)
			for _, a := range c.Answers {
				text += a.Status + " " + a.Phrase + " " + words(a.Meaning)
			}
			all = append(all, Section{c.Summary, c.ID, text})
		}
	}
	for _, o := range v.Objects {
		text := words(o.Meaning) + wordsOf(o.Fields) + wordsOfValues(o.Values)
		all = append(all, Section{o.Name, "object-" + o.Name, text})
	}
	return append(all, Section{"Headers", "headers", wordsOf(v.Headers)})
}

// words are texts without marks.
func words(texts ...text) string {
	var out strings.Builder
	for _, t := range texts {
		for _, p := range t {
			out.WriteString(p.Text)
		}
		out.WriteByte(' ')
	}
	return out.String()
}

func wordsOf(fields []field) string {
	var out strings.Builder
	for _, f := range fields {
		out.WriteString(f.Name + ": " + f.Type + f.Link + ". " + words(f.Meaning) + wordsOfValues(f.Values))
	}
	return out.String()
}

func wordsOfValues(values []value) string {
	var out strings.Builder
	for _, v := range values {
		out.WriteString(v.Name + ": " + words(v.Meaning))
	}
	return out.String()
}
