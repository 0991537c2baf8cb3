package api

import (
	"encoding/json"
	"maps"
	"mime"
	"os"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/internal/list"
)

// TestMediaTypes: what the description says of lists and results is what the
// formats say.
func TestMediaTypes(t *testing.T) {
	text, err := os.ReadFile("../../contract/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type content struct {
		Content map[string]json.RawMessage `json:"content"`
	}
	var said struct {
		Paths map[string]map[string]struct {
			RequestBody content            `json:"requestBody"`
			Responses   map[string]content `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	for mediaType := range said.Paths["/api/v1/bulk"]["post"].RequestBody.Content {
		if _, known := list.FormatOfMediaType(mediaType); !known && mediaType != "multipart/form-data" {
			t.Errorf("a list is sent as %s, which no format has", mediaType)
		}
	}
	var written []string
	for _, r := range list.Results() {
		mediaType, _, err := mime.ParseMediaType(r.MediaType)
		if err != nil {
			t.Error(err)
		}
		written = append(written, mediaType)
	}
	results := said.Paths["/api/v1/bulk/{id}/results"]["get"].Responses["200"].Content
	if got := slices.Sorted(maps.Keys(results)); !slices.Equal(got, slices.Sorted(slices.Values(written))) {
		t.Errorf("results are said to be %q, and are %q", got, written)
	}
}
