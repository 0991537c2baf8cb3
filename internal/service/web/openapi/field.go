package openapi

import (
	"path"
	"slices"
	"strings"
)

// field is a row of a table: a parameter, a header or a member of an object.
type field struct {
	Name     string
	Type     string
	Link     string // the object that Type ends with; empty: none
	Required bool
	Meaning  text
	Values   []value // that it can have, where they need a word
	Example  string
}

// value is one of a closed set.
type value struct {
	Name    string
	Meaning text
}

// object is a section about a schema of its own: its members, or its values.
type object struct {
	Name    string
	Meaning text
	Fields  []field
	Values  []value
}

func (d *document) objects() []object {
	var all []object
	for _, s := range d.Components.Schemas {
		if s.Value.hasSection() {
			all = append(all, object{s.Name, textOf(s.Value.Description), d.fields(s.Value), valuesOf(s.Value)})
		}
	}
	return all
}

// linksOf are the objects that a body can be.
func (d *document) linksOf(s schema) []string {
	if len(s.OneOf) == 0 {
		if _, link := d.typeOf(s); link != "" {
			return []string{link}
		}
	}
	var all []string
	for _, one := range s.OneOf {
		all = append(all, d.linksOf(one)...)
	}
	return all
}

// hasSection tells whether there is more to say about a schema than fits into
// the row of what has it.
func (s schema) hasSection() bool { return len(s.Properties) > 0 || len(s.EnumDescriptions) > 0 }

// fields are the members of an object, each with those that it has in place.
func (d *document) fields(of schema) []field {
	var all []field
	for _, p := range of.Properties {
		f := d.field(p.Name, p.Value)
		f.Required = slices.Contains(of.Required, p.Name)
		all = append(all, f)
		for _, inner := range d.fields(p.Value) {
			inner.Name = p.Name + "." + inner.Name
			all = append(all, inner)
		}
	}
	return all
}

func (d *document) field(name string, s schema) field {
	f := field{Name: name, Meaning: textOf(s.Description)}
	f.Type, f.Link = d.typeOf(s)
	if s.Ref == "" {
		f.Values = valuesOf(s)
	}
	if len(s.Examples) > 0 {
		f.Example = string(s.Examples[0])
	}
	return f
}

func valuesOf(s schema) []value {
	var all []value
	for _, v := range s.EnumDescriptions {
		all = append(all, value{v.Name, textOf(v.Value)})
	}
	return all
}

// typeOf says in words what a value is. It may end with the name of an object,
// which is then in link.
func (d *document) typeOf(s schema) (words, link string) {
	if s.Ref != "" {
		target := d.Components.Schemas.get(path.Base(s.Ref))
		if target.hasSection() {
			return "", path.Base(s.Ref)
		}
		return d.typeOf(target)
	}
	switch {
	case s.Items != nil:
		words, link = d.typeOf(*s.Items)
		return "array of " + words, link
	case s.PropertyNames != nil:
		_, link = d.typeOf(*s.PropertyNames)
		return "integers by ", link
	case s.Const != nil:
		return literal(s.Const), ""
	case len(s.Enum) > 0 && len(s.EnumDescriptions) == 0:
		return listed(literals(s.Enum)), ""
	case s.Format != "":
		return strings.Join(s.Type, " or ") + ", " + s.Format, ""
	default:
		return strings.Join(s.Type, " or "), ""
	}
}

func literals(values []any) []string {
	var all []string
	for _, v := range values {
		all = append(all, literal(v))
	}
	return all
}

// parameters are those of an operation.
func (d *document) parameters(of operation) []field {
	var all []field
	for _, p := range of.Parameters {
		p = resolved(d.Components.Parameters, p.Ref, p)
		f := d.field(p.Name, p.Schema)
		f.Required, f.Meaning = p.Required, textOf(p.Description)
		if p.Example != nil {
			f.Example = written(p.Example)
		}
		all = append(all, f)
	}
	return all
}

// headers are all that answers may have, each once, by the name of the field.
func (d *document) headers() []field {
	var all []field
	seen := make(map[string]bool)
	for _, r := range d.responses() {
		for _, h := range r.Headers {
			if !seen[h.Value.Ref] {
				seen[h.Value.Ref] = true
				all = append(all, d.headerField(h.Name, resolved(d.Components.Headers, h.Value.Ref, h.Value)))
			}
		}
	}
	return all
}

// responses are those of operations, and then those that no operation has of
// its own.
func (d *document) responses() []response {
	var all []response
	for _, p := range d.Paths {
		for _, o := range p.Value {
			for _, r := range o.Value.Responses {
				all = append(all, resolved(d.Components.Responses, r.Value.Ref, r.Value))
			}
		}
	}
	for _, r := range d.Components.Responses {
		all = append(all, r.Value)
	}
	return all
}

func (d *document) headerField(name string, h header) field {
	f := d.field(name, h.Schema)
	f.Meaning = textOf(h.Description)
	if h.Example != nil {
		f.Example = written(h.Example)
	}
	return f
}
