package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

func TestOutlook(t *testing.T) {
	for _, c := range []struct {
		name       string
		p          bulk.Progress
		read, size int64
		want       outlook
	}{
		{"nothing yet", bulk.Progress{}, 0, 1000, outlook{}},
		{"half is read, a quarter done", bulk.Progress{Read: 50, Done: 25, Rate: 5}, 500, 1000, outlook{total: 100, fraction: 0.25, left: 15 * time.Second}},
		{"all is read", bulk.Progress{Read: 80, Done: 20, Rate: 2, Exhausted: true}, 900, 1000, outlook{total: 80, exact: true, fraction: 0.25, left: 30 * time.Second}},
		{"a pipe", bulk.Progress{Read: 80, Done: 20, Rate: 2}, 900, 0, outlook{}},
		{"a file that grows", bulk.Progress{Read: 80, Done: 80, Rate: 2}, 2000, 1000, outlook{total: 80, fraction: 1}},
		{"an empty list", bulk.Progress{Exhausted: true}, 0, 0, outlook{exact: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, outlookOf(c.p, c.read, c.size), cmp.AllowUnexported(outlook{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	p := bulk.Progress{Done: 1500, Waiting: 3, Rate: 99.6, Verdicts: map[engine.Verdict]int64{engine.Deliverable: 1200, engine.Unknown: 300}}
	for _, c := range []struct {
		rest outlook
		want string
	}{
		{outlook{}, "1500 100/s  deliverable 1200  unknown 300  3 to retry"},
		{outlook{total: 3000, left: 15 * time.Second}, "1500/~3000 100/s  15s left  deliverable 1200  unknown 300  3 to retry"},
		{outlook{total: 2000, exact: true}, "1500/2000 100/s  deliverable 1200  unknown 300  3 to retry"},
	} {
		if got := describe(p, c.rest); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := fitting("1500/3000", 4); got != "1500" {
		t.Errorf("cut: %q", got)
	}
}

// TestProgressLog: a line every ten seconds of the run.
func TestProgressLog(t *testing.T) {
	var log bytes.Buffer
	view := &progressLog{logger: slog.New(slog.NewTextHandler(&log, nil)), input: &listInput{}}
	for second := range 25 {
		view.show(bulk.Progress{Elapsed: time.Duration(second) * time.Second, Done: int64(second), Read: 100, Rate: 1, Exhausted: true,
			Verdicts: map[engine.Verdict]int64{engine.AcceptAll: 1}})
	}
	if got := log.String(); strings.Count(got, "\n") != 2 ||
		!strings.Contains(got, "msg=progress done=10 read=100 waiting=0 rate=1.0/s deliverable=0 accept_all=1 undeliverable=0 unknown=0 left=1m30s") ||
		!strings.Contains(got, "done=20") {
		t.Errorf("log:\n%s", got)
	}
}
