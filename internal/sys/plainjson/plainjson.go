// Package plainjson writes JSON as people read it.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is [json.Marshal] without the escapes of <, > and &, so that replies
// stand as mail hosts write them. [json.Marshal] escapes the outcome again.
func Marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
