package openapitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// free are the header fields that HTTP itself has, about which the contract
// says nothing.
var free = map[string]bool{
	"Connection": true, "Content-Length": true, "Content-Type": true, "Date": true,
	"Transfer-Encoding": true, "X-Content-Type-Options": true,
}

// Check judges the response to a request for path. It reads the body of the
// response and puts another in its place. Pages for people are not part of the
// contract; errors in JSON for paths outside it are.
func (c *Contract) Check(method, path string, got *http.Response) error {
	body, err := io.ReadAll(got.Body)
	got.Body.Close()
	got.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil // it was cut off, which is for the test to judge
	}
	want, err := c.expected(method, path, got)
	if want == nil && err == nil {
		return nil
	}
	if err == nil {
		err = errors.Join(want.checkHeader(got.Header), want.checkBody(method, got, body))
	}
	if err != nil {
		return fmt.Errorf("%s %s: status %d does not match the contract: %w\n%.500s",
			method, path, got.StatusCode, err, body)
	}
	return nil
}

// operations returns what is declared for a path, whose ID may be any. A path
// of the API may have a slash behind it.
func (c *Contract) operations(path string) (all map[string]declared, known bool) {
	if strings.HasPrefix(path, "/api/") {
		path = strings.TrimSuffix(path, "/")
	}
	if all, known = c.paths[path]; known {
		return all, true
	}
	given := strings.Split(path, "/")
	for declared, all := range c.paths {
		parts := strings.Split(declared, "/")
		if i := slices.Index(parts, "{id}"); i >= 0 && len(parts) == len(given) {
			parts[i] = given[i]
			if slices.Equal(parts, given) {
				return all, true
			}
		}
	}
	return nil, false
}

// expected is what the contract has for such a response; nil: the contract is
// not about it.
func (c *Contract) expected(method, path string, got *http.Response) (*response, error) {
	operations, known := c.operations(path)
	if !known {
		return c.outside(path, got)
	}
	status := strconv.Itoa(got.StatusCode)
	if operation, known := operations[method]; known {
		if operation[status] == nil {
			return nil, errors.New("no such status is declared")
		}
		return operation[status], nil
	}
	switch got.StatusCode {
	case http.StatusMethodNotAllowed:
		return c.shared["MethodNotAllowed"], nil
	case http.StatusNotFound:
		return c.shared["NotFound"], nil
	}
	return nil, errors.New("no such method is declared")
}

// outside is what the contract has for a path that it does not name.
func (c *Contract) outside(path string, got *http.Response) (*response, error) {
	isAPI := strings.HasPrefix(path, "/api/") || mediaType(got) == "application/json"
	switch {
	case got.StatusCode == http.StatusNotFound && isAPI:
		return c.shared["NotFound"], nil
	case isAPI:
		return nil, errors.New("no such path is declared")
	}
	return nil, nil
}

// CheckEvent judges the body of a webhook.
func (c *Contract) CheckEvent(body []byte) error {
	var event struct{ Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	first, _, _ := strings.Cut(event.Type, ".")
	schema := c.events[first]
	if schema == nil {
		return fmt.Errorf("the event %q is not declared", event.Type)
	}
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(content)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, body)
	}
	return nil
}

func mediaType(r *http.Response) string {
	parsed, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return parsed
}

func (want *response) checkHeader(header http.Header) error {
	var faults []error
	for name, rule := range want.headers {
		if rule.required && header.Get(name) == "" {
			faults = append(faults, fmt.Errorf("the field %s is missing", name))
		}
	}
	for name, fields := range header {
		if free[name] {
			continue
		}
		if err := want.checkField(name, fields); err != nil {
			faults = append(faults, fmt.Errorf("the field %s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

func (want *response) checkField(name string, fields []string) error {
	rule, known := want.headers[name]
	if !known {
		return errors.New("it is not declared")
	}
	if len(fields) != 1 {
		return fmt.Errorf("it occurs %d times", len(fields))
	}
	value, err := rule.value(fields[0])
	if err != nil {
		return err
	}
	return rule.schema.Validate(value)
}

func (want *response) checkBody(method string, got *http.Response, body []byte) error {
	if method == http.MethodHead {
		return nil // recorders show the body that net/http leaves out
	}
	if len(want.bodies) == 0 {
		if len(body) > 0 {
			return errors.New("there is a body")
		}
		return nil
	}
	schema := want.bodies[mediaType(got)]
	if schema == nil {
		return fmt.Errorf("the media type %q is not declared", got.Header.Get("Content-Type"))
	}
	plain, err := decoded(got.Header.Get("Content-Encoding"), body)
	if err != nil {
		return err
	}
	if mediaType(got) != "application/json" {
		return schema.Validate(string(plain))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func decoded(encoding string, body []byte) ([]byte, error) {
	if encoding != "gzip" {
		return body, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
