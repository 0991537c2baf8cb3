package openapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Contract is the contract, ready to judge responses. It is safe for concurrent
// use.
type Contract struct {
	paths  map[string]map[string]declared // by path and method: the responses by status
	shared declared                       // the responses that are declared for all, by their name
	events map[string]*jsonschema.Schema  // the bodies of webhooks, by the first word of the type
}

// declared are the responses of an operation.
type declared map[string]*response

// response is what an answer with a status must be.
type response struct {
	headers map[string]headerRule         // by canonical name
	bodies  map[string]*jsonschema.Schema // by media type; none: there is no body
}

type headerRule struct {
	required bool
	integer  bool
	schema   *jsonschema.Schema
}

// New reads the contract of this module. The error says what is wrong with the
// file.
func New() (*Contract, error) { return parse(openapi.File()) }

func parse(file []byte) (*Contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(file)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	schemas, err := newSchemas(file)
	if err != nil {
		return nil, err
	}
	c := &Contract{
		paths: make(map[string]map[string]declared), shared: make(declared),
		events: make(map[string]*jsonschema.Schema),
	}
	for event := range doc.Webhooks {
		at := "#/webhooks/" + pointer(event) + "/post/requestBody/content/application~1json/schema"
		if c.events[event], err = schemas.compiler.Compile(location + at); err != nil {
			return nil, err
		}
	}
	for name, found := range doc.Components.Responses {
		if c.shared[name], err = schemas.response(found.Value, "#/components/responses/"+name); err != nil {
			return nil, err
		}
	}
	for where, item := range doc.Paths.Map() {
		c.paths[where] = make(map[string]declared)
		for method, operation := range item.Operations() {
			at := "#/paths/" + pointer(where) + "/" + strings.ToLower(method) + "/responses/"
			if c.paths[where][method], err = c.declared(schemas, operation, at); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

func (c *Contract) declared(schemas *schemas, operation *openapi3.Operation, at string) (declared, error) {
	all := make(declared)
	for status, found := range operation.Responses.Map() {
		if found.Ref != "" {
			all[status] = c.shared[path.Base(found.Ref)]
			continue
		}
		own, err := schemas.response(found.Value, at+status)
		if err != nil {
			return nil, err
		}
		all[status] = own
	}
	return all, nil
}

// schemas compiles the schemas of the file by where they stand in it.
type schemas struct{ compiler *jsonschema.Compiler }

// location names the file; it is fetched from nowhere.
const location = "urn:rcpt:openapi"

func newSchemas(file []byte) (*schemas, error) {
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	closeObjects(content)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	return &schemas{compiler}, compiler.AddResource(location, content)
}

// closeObjects forbids members that the contract does not name. The file itself
// does not: clients must not fail when there is a new one.
func closeObjects(value any) {
	switch value := value.(type) {
	case map[string]any:
		_, isObject := value["properties"].(map[string]any)
		if isObject && value["type"] == "object" && value["additionalProperties"] == nil {
			value["additionalProperties"] = false
		}
		for _, inner := range value {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range value {
			closeObjects(inner)
		}
	}
}

func (s *schemas) response(from *openapi3.Response, at string) (*response, error) {
	r := &response{make(map[string]headerRule), make(map[string]*jsonschema.Schema)}
	for name, header := range from.Headers {
		where := header.Ref
		if where == "" {
			where = at + "/headers/" + pointer(name)
		}
		schema, err := s.compiler.Compile(location + where + "/schema")
		if err != nil {
			return nil, err
		}
		r.headers[http.CanonicalHeaderKey(name)] = headerRule{
			header.Value.Required, header.Value.Schema.Value.Type.Is("integer"), schema,
		}
	}
	for mediaType := range from.Content {
		schema, err := s.compiler.Compile(location + at + "/content/" + pointer(mediaType) + "/schema")
		if err != nil {
			return nil, err
		}
		r.bodies[mediaType] = schema
	}
	return r, nil
}

// pointer escapes a name for a JSON pointer (RFC 6901 §3).
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// value is a header field as its schema wants it.
func (h headerRule) value(field string) (any, error) {
	if !h.integer {
		return field, nil
	}
	var number json.Number
	if err := json.Unmarshal([]byte(field), &number); err != nil {
		return nil, fmt.Errorf("%q is not a number", field)
	}
	return number, nil
}
