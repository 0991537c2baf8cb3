package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The paths of the endpoint and of the document, which need neither lists nor
// keys.
const (
	VerifyPath   = "/api/v1/verify"
	DocumentPath = "/openapi.json"
)

// Part is the contract of a handler that answers verifications alone, without
// the limits of keys.
type Part struct {
	Path string // of the endpoint, in place of [VerifyPath]
	Keys bool   // clients send a key; without, the program knows them by other means
}

// object is an object of JSON.
type object = map[string]any

// refused is the answer of a program that does not let a client in.
const refused = `{"description":"The request is refused.","content":{"application/json":{"schema":
	{"type":"object","required":["message","success"],"properties":{"message":{"type":"string"},
	"success":{"type":"boolean","const":false},"code":{"type":"string","description":"The reason for programs."}}}}}}`

// Document returns the document of a handler, as a function of the prefix with
// which the paths of the handler begin. It is the one of the service without
// what the handler does not answer. To make it takes milliseconds, to name the
// prefix microseconds: strangers may ask for any.
func (p Part) Document() func(prefix string) []byte {
	made := sync.OnceValues(func() (before, after []byte) {
		before, after, _ = bytes.Cut(p.make(), []byte(placeholder))
		return before, after
	})
	return func(prefix string) []byte {
		before, after := made()
		server, _ := json.Marshal(cmp.Or(prefix, "/")) // every string can be written
		return slices.Concat(before, server, after)
	}
}

// placeholder stands for the server.
const placeholder = `"{prefix}"`

func (p Part) make() []byte {
	document := read(file)
	paths := document["paths"].(object)
	endpoint := paths[VerifyPath].(object)
	for _, operation := range endpoint {
		p.limit(operation.(object))
	}
	document["paths"] = object{p.Path: endpoint, DocumentPath: paths[DocumentPath]}
	document["servers"].([]any)[0].(object)["url"] = strings.Trim(placeholder, `"`)
	delete(document, "webhooks")
	document["tags"] = slices.DeleteFunc(document["tags"].([]any), func(tag any) bool {
		name := tag.(object)["name"]
		return name != "Verification" && name != "Service"
	})
	document["components"] = p.components(document)
	return write(document)
}

// limit leaves out of an operation what is answered because of the limits of
// keys.
func (p Part) limit(operation object) {
	responses := operation["responses"].(object)
	for _, status := range []string{"402", "403", "429"} {
		delete(responses, status)
	}
	paragraphs := strings.Split(operation["description"].(string), "\n\n")
	operation["description"] = strings.Join(slices.DeleteFunc(paragraphs, func(paragraph string) bool {
		return strings.HasPrefix(paragraph, "Limits of a key: ")
	}), "\n\n")
	if !p.Keys {
		delete(operation, "security")
		responses["4XX"] = read([]byte(refused))
	}
}

// components are those that the document refers to, and the answer to a method
// that a path does not allow.
func (p Part) components(document object) object {
	all := document["components"].(object)
	used := object{}
	if p.Keys {
		used["securitySchemes"] = all["securitySchemes"]
	}
	take([]any{document["paths"], object{"$ref": "#/components/responses/MethodNotAllowed"}}, all, used)
	return used
}

// take adds the components that a part refers to, and those that these refer
// to. It leaves out the header fields of a key's rate.
func take(part any, all, used object) {
	switch part := part.(type) {
	case []any:
		for _, element := range part {
			take(element, all, used)
		}
	case object:
		maps.DeleteFunc(part, func(name string, _ any) bool { return strings.HasPrefix(name, "RateLimit-") })
		for _, member := range part {
			take(member, all, used)
		}
		at, _ := part["$ref"].(string)
		kind, name, found := strings.Cut(strings.TrimPrefix(at, "#/components/"), "/")
		if !found {
			return
		}
		if used[kind] == nil {
			used[kind] = object{}
		}
		if of := used[kind].(object); of[name] == nil {
			of[name] = all[kind].(object)[name]
			take(of[name], all, used)
		}
	}
}

// read reads an object of the embedded file. The tests read it, too, so an
// error is a bug.
func read(text []byte) (o object) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&o); err != nil {
		panic(fmt.Sprintf("openapi.json: %v", err))
	}
	return o
}

func write(o object) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(o) // it was read from JSON
	return text.Bytes()
}
