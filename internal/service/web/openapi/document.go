package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"
)

// document is the part of the contract that has names: of what the page links
// to, and of what a search finds. Objects keep the order of the file.
type document struct {
	Info       struct{ Title, Summary, Description string }
	Paths      ordered[ordered[operation]]
	Webhooks   ordered[ordered[operation]]
	Components ordered[ordered[json.RawMessage]]
}

// operation is a request of clients or, among the webhooks, of the server.
type operation struct {
	OperationID, Summary string
	raw                  json.RawMessage
}

// UnmarshalJSON reads an operation, and keeps it.
func (o *operation) UnmarshalJSON(data []byte) error {
	type fields operation
	o.raw = bytes.Clone(data)
	return json.Unmarshal(data, (*fields)(o))
}

// described is the contract. The tests read it, too, so an error is a bug.
var described = sync.OnceValue(func() (d document) {
	if err := json.Unmarshal(file, &d); err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err))
	}
	return d
})

// ordered is a JSON object whose members stay in the order of the file.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("%v is not an object", start)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		m := member[T]{Name: name.(string)}
		if err := decoder.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		*o = append(*o, m)
	}
	return nil
}

// get returns the member with the name, or the zero value.
func (o ordered[T]) get(name string) (value T) {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return value
}

// call is an operation with what it is called by.
type call struct {
	method, path string
	operation
}

// calls are the operations but for HEAD, and then the requests of the server.
func (d document) calls() (all []call) {
	for _, group := range []ordered[ordered[operation]]{d.Paths, d.Webhooks} {
		for _, p := range group {
			for _, o := range p.Value {
				if o.Name != "head" {
					all = append(all, call{o.Name, p.Name, o.Value})
				}
			}
		}
	}
	return all
}

// Section is a part of the page for a search.
type Section struct {
	Title string
	ID    string // its anchor
	Text  string
}

// Anchors of sections that are not an operation.
const (
	startAnchor   = "start"
	headersAnchor = "headers"
	objectAnchor  = "object-" // before the name of a schema
)

// Sections are the parts of the page: its beginning, each operation, each
// request that the server sends, each object, and the headers.
func Sections() []Section {
	d := described()
	start := d.Info.Summary + " " + d.Info.Description + " " + d.wordsOf(d.Components.get("securitySchemes"))
	all := []Section{{d.Info.Title + " API", startAnchor, plain(start)}}
	for _, c := range d.calls() {
		text := strings.ToUpper(c.method) + " " + c.path + ". " + d.words(c.raw)
		all = append(all, Section{c.Summary, c.OperationID, plain(text)})
	}
	for _, s := range d.Components.get("schemas") {
		all = append(all, Section{s.Name, objectAnchor + s.Name, plain(d.words(s.Value))})
	}
	return append(all, Section{"Headers", headersAnchor, plain(d.wordsOf(d.Components.get("headers")))})
}

// plain is a description without the marks of code.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

// words are the names and descriptions in a part of the contract, and in what
// it refers to but for objects, which have a section of their own.
func (d document) words(part json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(part, &list) == nil {
		var out strings.Builder
		for _, item := range list {
			out.WriteString(d.words(item))
		}
		return out.String()
	}
	var object ordered[json.RawMessage]
	if json.Unmarshal(part, &object) != nil {
		return "" // a number or the like
	}
	return d.wordsOf(object)
}

func (d document) wordsOf(object ordered[json.RawMessage]) string {
	var out strings.Builder
	for _, m := range object {
		var text string
		isText := json.Unmarshal(m.Value, &text) == nil
		switch m.Name {
		case "summary", "example", "examples", "tags", "operationId", "security":
		case "name":
			out.WriteString(text + ": ")
		case "description":
			out.WriteString(text + " ")
		case "$ref":
			if kind, name := path.Split(text); path.Base(kind) != "schemas" {
				out.WriteString(d.words(d.Components.get(path.Base(kind)).get(name)))
			}
		case "properties", "responses", "headers", "x-enumDescriptions":
			out.WriteString(d.named(m.Value))
		case "enum", "const":
			out.WriteString(strings.NewReplacer(`"`, "", ",", ", ", "[", "", "]", ". ").Replace(string(m.Value)))
		default:
			if !isText {
				out.WriteString(d.words(m.Value))
			}
		}
	}
	return out.String()
}

// named are the members of an object, each with its name.
func (d document) named(part json.RawMessage) string {
	var members ordered[json.RawMessage]
	_ = json.Unmarshal(part, &members) // it is an object wherever these names are used
	var out strings.Builder
	for _, m := range members {
		var text string
		if json.Unmarshal(m.Value, &text) != nil {
			text = d.words(m.Value)
		}
		out.WriteString(m.Name + ": " + text + " ")
	}
	return out.String()
}
