package bulk_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/bulk"
)

// TestMissing checks that a run without what it needs is an error that names
// it.
func TestMissing(t *testing.T) {
	with := bulk.Options{Verifier: instant{}}
	for want, run := range map[string]func() (bulk.Summary, error){
		"source":   func() (bulk.Summary, error) { return bulk.Run(t.Context(), nil, discard{}, with) },
		"sink":     func() (bulk.Summary, error) { return bulk.Run(t.Context(), listOf("a@b.example"), nil, with) },
		"verifier": func() (bulk.Summary, error) { return bulk.Run(t.Context(), listOf(), discard{}, bulk.Options{}) },
		"OpenJournal": func() (bulk.Summary, error) {
			with := with
			with.Journal = new(bulk.Journal)
			return bulk.Run(t.Context(), listOf("a@b.example"), discard{}, with)
		},
	} {
		if summary, err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %+v", want, err, summary)
		}
	}
	for name, end := range map[string]func(*bulk.Journal) error{"Close": (*bulk.Journal).Close, "Remove": (*bulk.Journal).Remove} {
		if err := end(new(bulk.Journal)); err == nil {
			t.Errorf("%s of a journal that was not opened: no error", name)
		}
	}
}
