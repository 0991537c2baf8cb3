package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
)

// document is the part of an OpenAPI 3.1 document that the page shows. Objects
// whose order matters to a reader keep it.
type document struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Tags       []tag
	Paths      ordered[ordered[operation]]
	Webhooks   ordered[ordered[operation]]
	Components components
}

type tag struct{ Name, Description string }

type components struct {
	Schemas         ordered[schema]
	Responses       ordered[response]
	Parameters      ordered[parameter]
	Headers         ordered[header]
	SecuritySchemes ordered[securityScheme]
}

type operation struct {
	OperationID          string
	Summary, Description string
	Tags                 []string
	Parameters           []parameter
	RequestBody          requestBody
	Responses            ordered[response]
	Security             []map[string][]string
}

type requestBody struct {
	Description string
	Content     ordered[struct {
		Schema   schema
		Examples ordered[example]
	}]
}

type parameter struct {
	Ref               string `json:"$ref"`
	Name, Description string
	In                string
	Required          bool
	Schema            schema
	Example           any
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     ordered[header]
	Content     ordered[struct {
		Schema   schema
		Examples ordered[example]
	}]
}

type example struct {
	Summary string
	Value   json.RawMessage
}

type header struct {
	Ref         string `json:"$ref"`
	Description string
	Required    bool
	Schema      schema
	Example     any
}

type securityScheme struct{ Description string }

// schema has the parts of JSON Schema 2020-12 that the contract uses and a
// reader needs.
type schema struct {
	Ref              string `json:"$ref"`
	Type             types
	Format           string
	Description      string
	Enum             []any
	Const            any
	Default          any
	Minimum          *float64
	Examples         []json.RawMessage
	Properties       ordered[schema]
	Required         []string
	Items            *schema
	OneOf            []schema
	PropertyNames    *schema
	EnumDescriptions ordered[string] `json:"x-enumDescriptions"`
}

// types is the keyword "type": a string or a list of strings.
type types []string

// UnmarshalJSON reads either.
func (t *types) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

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

// resolved returns what a reference leads to or, without one, the value itself.
func resolved[T any](among ordered[T], ref string, value T) T {
	if ref == "" {
		return value
	}
	return among.get(path.Base(ref))
}
