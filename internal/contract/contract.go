// Package contract has the contract of the HTTP interface: an OpenAPI 3.1
// document, written by hand, and the part of it for a handler that answers
// verifications alone.
package contract

import (
	"bytes"
	_ "embed" // the document
)

//go:embed openapi.json
var file []byte

// File returns the document, in JSON.
func File() []byte { return bytes.Clone(file) }
