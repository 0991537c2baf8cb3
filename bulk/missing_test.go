package bulk_test

import (
	"maps"
	"strconv"
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
	for name, source := range map[string]bulk.Source{
		"Addresses": bulk.Addresses(nil), "Items": bulk.Items(nil),
		"RowsOf": bulk.RowsOf[int](nil, strconv.Itoa), "RowsOf without email": bulk.RowsOf(maps.All(map[int]error{1: nil}), nil),
	} {
		if _, err := bulk.Run(t.Context(), source, discard{}, with); err == nil || !strings.Contains(err.Error(), "source") {
			t.Errorf("%s of nil: %v", name, err)
		}
	}
	for name, sink := range map[string]bulk.Sink{"SinkFunc": bulk.SinkFunc(nil), "WriteRows": bulk.WriteRows[int](nil)} {
		if _, err := bulk.Run(t.Context(), listOf("a@b.example"), sink, with); err == nil || !strings.Contains(err.Error(), "sink") {
			t.Errorf("%s of nil: %v", name, err)
		}
	}
	for name, end := range map[string]func(*bulk.Journal) error{"Close": (*bulk.Journal).Close, "Remove": (*bulk.Journal).Remove} {
		if err := end(new(bulk.Journal)); err == nil {
			t.Errorf("%s of a journal that was not opened: no error", name)
		}
	}
}
