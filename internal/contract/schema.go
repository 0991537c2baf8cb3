package contract

import (
	"maps"
	"slices"
	"strings"
)

// Schema returns a schema of the contract by itself, as JSON Schema: those that
// it refers to are in $defs. It has neither examples and extensions, nor the
// properties named in leaveOut.
func Schema(name string, leaveOut ...string) map[string]any {
	all := read(file)["components"].(object)
	for _, schema := range all["schemas"].(object) {
		prune(schema, leaveOut)
	}
	used := object{}
	root := object{"$ref": "#/components/schemas/" + name}
	take(root, all, used)
	defs := used["schemas"].(object)
	schema := defs[name].(object)
	delete(defs, name)
	relocate(schema)
	relocate(defs)
	schema["$defs"] = defs
	return schema
}

// prune leaves out of a schema what validates nothing, and properties.
func prune(schema any, properties []string) {
	switch schema := schema.(type) {
	case []any:
		for _, element := range schema {
			prune(element, properties)
		}
	case object:
		maps.DeleteFunc(schema, func(name string, _ any) bool {
			return name == "examples" || strings.HasPrefix(name, "x-")
		})
		if of, ok := schema["properties"].(object); ok {
			maps.DeleteFunc(of, func(name string, _ any) bool { return slices.Contains(properties, name) })
		}
		for _, member := range schema {
			prune(member, properties)
		}
	}
}

// relocate has references point to $defs.
func relocate(schema any) {
	switch schema := schema.(type) {
	case []any:
		for _, element := range schema {
			relocate(element)
		}
	case object:
		if at, ok := schema["$ref"].(string); ok {
			schema["$ref"] = strings.Replace(at, "#/components/schemas/", "#/$defs/", 1)
		}
		for _, member := range schema {
			relocate(member)
		}
	}
}

// Meanings returns what the words of an enumeration mean.
func Meanings(name string) map[string]string {
	meanings := map[string]string{}
	schema := read(file)["components"].(object)["schemas"].(object)[name].(object)
	for word, meaning := range schema["x-enumDescriptions"].(object) {
		meanings[word] = meaning.(string)
	}
	return meanings
}
