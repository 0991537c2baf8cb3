package openapi

import (
	"bytes"
	_ "embed" // the template
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

//go:embed page.html
var pageTemplate string

// Site describes the server for the page.
type Site struct {
	Base      string // its URL for clients, such as https://verify.example.com
	Dashboard bool   // there is a dashboard, at "/"
	Theme     string // "light" or "dark"; else as the system has it
}

// view is what the page shows.
type view struct {
	Site
	Snippets       []snippets.Snippet
	Title, Version string
	Summary        text
	Intro          []text
	Keys           []text // the ways to show a key
	Groups         []group
	Headers        []field
	Objects        []object
}

// group is the operations of a tag.
type group struct {
	Name       string
	Meaning    text
	Operations []call
}

// call is an operation, or a request that the server sends to its clients.
type call struct {
	ID, Method, Path string // Path is empty where the server sends it
	Summary          string
	Meaning          []text
	Head             bool // HEAD is answered too
	Key              bool // it needs a key
	Curl             string
	Parameters       []field
	Body             text // what there is to say about it; none: there is no body
	BodyFields       []field
	Answers          []answer
	Samples          []sample // of what is returned when all is well
}

// answer is a status that an operation can have.
type answer struct {
	Status  string
	Phrase  string
	Meaning text
	Links   []string // the objects that the body of a success can be
	Example string   // of an error
	Headers []string // that all answers do not have
}

type sample struct{ Summary, Text string }

// render renders the page. The file is embedded and the tests render the page,
// too, so an error is a bug.
func render(file []byte, site Site) []byte {
	var d document
	if err := json.Unmarshal(file, &d); err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err))
	}
	var out bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageTemplate)).Execute(&out, d.view(site)); err != nil {
		panic(fmt.Sprintf("page.html: %v", err))
	}
	return out.Bytes()
}

func (d *document) view(site Site) view {
	v := view{
		Site: site, Snippets: snippets.Of(site.Base, ""),
		Title: d.Info.Title, Version: d.Info.Version, Summary: textOf(d.Info.Summary),
		Intro:   paragraphs(d.Info.Description),
		Headers: d.headers(), Objects: d.objects(),
	}
	for _, s := range d.Components.SecuritySchemes {
		v.Keys = append(v.Keys, textOf(s.Value.Description))
	}
	for _, t := range d.Tags {
		v.Groups = append(v.Groups, group{
			t.Name, textOf(t.Description), append(d.calls(t.Name, site.Base), d.events(t.Name)...),
		})
	}
	return v
}

// calls are the operations with the tag. HEAD is only a remark on its GET.
func (d *document) calls(tag, base string) []call {
	var all []call
	for _, p := range d.Paths {
		for _, o := range p.Value {
			if o.Name == "head" || !slices.Contains(o.Value.Tags, tag) {
				continue
			}
			c := d.call(p.Name, strings.ToUpper(o.Name), o.Value, base)
			c.Head = slices.ContainsFunc(p.Value, func(m member[operation]) bool { return m.Name == "head" })
			all = append(all, c)
		}
	}
	return all
}

// events are the requests with the tag that the server sends.
func (d *document) events(tag string) []call {
	var all []call
	for _, w := range d.Webhooks {
		for _, o := range w.Value {
			if !slices.Contains(o.Value.Tags, tag) {
				continue
			}
			e := d.call("", strings.ToUpper(o.Name), o.Value, "")
			e.Curl = ""
			for _, body := range o.Value.RequestBody.Content {
				e.Body = textOf(body.Value.Schema.Description)
				e.Samples = append(e.Samples, samples(body.Value.Examples)...)
			}
			all = append(all, e)
		}
	}
	return all
}

func (d *document) call(path, method string, o operation, base string) call {
	c := call{
		ID: o.OperationID, Method: method, Path: path, Summary: o.Summary, Meaning: paragraphs(o.Description),
		Key: len(o.Security) > 0, Curl: d.curl(method, base+path, o),
		Parameters: d.parameters(o), Body: textOf(o.RequestBody.Description),
	}
	for _, body := range o.RequestBody.Content {
		c.BodyFields = d.fields(resolved(d.Components.Schemas, body.Value.Schema.Ref, body.Value.Schema))
	}
	for _, r := range o.Responses {
		found := resolved(d.Components.Responses, r.Value.Ref, r.Value)
		c.Answers = append(c.Answers, d.answer(r.Name, found))
		if strings.HasPrefix(r.Name, "2") {
			for _, body := range found.Content {
				c.Samples = append(c.Samples, samples(body.Value.Examples)...)
			}
		}
	}
	return c
}

func (d *document) answer(status string, r response) answer {
	code, _ := strconv.Atoi(status)
	if status == "default" {
		status = "other"
	}
	a := answer{
		Status: status, Phrase: http.StatusText(code), Meaning: textOf(r.Description), Headers: notable(r.Headers),
	}
	for _, body := range r.Content {
		if code < http.StatusBadRequest {
			a.Links = d.linksOf(body.Value.Schema)
		} else if len(body.Value.Examples) > 0 {
			a.Example = oneLine(body.Value.Examples[0].Value.Value)
		}
	}
	return a
}

// notable are the headers that not every answer has, and those of a family as
// one.
func notable(headers ordered[header]) []string {
	var all []string
	for _, h := range headers {
		switch {
		case h.Name == "X-Request-Id" || h.Name == "Cache-Control":
		case !strings.HasPrefix(h.Name, rateLimits):
			all = append(all, h.Name)
		case !slices.Contains(all, rateLimits+"*"):
			all = append(all, rateLimits+"*")
		}
	}
	return all
}

const rateLimits = "RateLimit-"

func samples(examples ordered[example]) []sample {
	var all []sample
	for _, e := range examples {
		var plain string // of what is not JSON
		if json.Unmarshal(e.Value.Value, &plain) != nil {
			var out bytes.Buffer
			_ = json.Indent(&out, e.Value.Value, "", "  ") // it was read as JSON
			plain = out.String()
		}
		all = append(all, sample{e.Value.Summary, plain})
	}
	return all
}

func oneLine(value json.RawMessage) string {
	var out bytes.Buffer
	_ = json.Compact(&out, value) // it was read as JSON
	return out.String()
}

// curl is a command line to try an operation with: a file or the first example
// of a body, or else those parameters that have an example.
func (d *document) curl(method, url string, o operation) string {
	var parameters []string
	for _, p := range o.Parameters {
		switch p = resolved(d.Components.Parameters, p.Ref, p); {
		case p.In == "path":
			url = strings.ReplaceAll(url, "{"+p.Name+"}", written(p.Example))
		case p.Example != nil:
			parameters = append(parameters, fmt.Sprintf("--data-urlencode '%s=%s'", p.Name, written(p.Example)))
		}
	}
	lines := []string{"curl " + url}
	if len(o.Security) > 0 {
		lines = append(lines, `-H "X-API-Key: $RCPT_API_KEY"`)
	}
	if len(o.RequestBody.Content) > 0 {
		body := o.RequestBody.Content[0]
		if body.Name == "multipart/form-data" {
			return strings.Join(append(lines, "-F 'file=@list.csv'"), newLine)
		}
		example := oneLine(body.Value.Examples[0].Value.Value)
		return strings.Join(append(lines, "-H 'Content-Type: "+body.Name+"'", "-d '"+example+"'"), newLine)
	}
	switch {
	case method != http.MethodGet:
		lines[0] = "curl -X " + method + " " + url
	case len(parameters) > 0:
		lines[0] = "curl -G " + url
	}
	return strings.Join(append(lines, parameters...), newLine)
}

const newLine = " \\\n  "
