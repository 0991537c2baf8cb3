package api

import (
	"maps"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
)

// TestRoutesAreAll: what Routes names is what a whole server answers.
func TestRoutesAreAll(t *testing.T) {
	s := &Server{config: Config{Usage: struct{ UsageStore }{}, Webhooks: struct{ WebhookStore }{}, Jobs: new(jobs.Manager)}}
	all := s.routes()
	delete(all, docsFolder) // it is reported as one of the pages
	if got, want := slices.Sorted(slices.Values(Routes())), slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("Routes: %v\nserved: %v", got, want)
	}
}
