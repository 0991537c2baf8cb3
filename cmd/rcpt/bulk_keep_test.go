package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPaceOutlastsARun sees that a run that is resumed knows the pauses that
// the run before knew, one that begins anew does not, and that the file goes
// with the journal.
func TestPaceOutlastsARun(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	c := &bulkCommand{}
	c.State = t.TempDir()
	c.Output = "checked.csv"
	name, err := c.journalName()
	check(t, err)
	want := []pace.Memory{{Provider: "google", PausedUntil: time.Now().Add(time.Hour).UTC().Round(time.Second), Pauses: 1}}
	keeper := &paceKeeper{name: name + paceSuffix, memory: func() []pace.Memory { return want }}
	check(t, os.WriteFile(name, nil, 0o600))
	check(t, keeper.end())
	if got := c.paceMemory(log); got != nil {
		t.Errorf("a run that begins anew knows %+v", got)
	}
	c.Resume = true
	if diff := cmp.Diff(want, c.paceMemory(log)); diff != "" {
		t.Error(diff)
	}
	check(t, os.Remove(name))
	check(t, keeper.end())
	if left, _ := filepath.Glob(filepath.Join(c.State, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	check(t, keeper.end())
	if got := c.paceMemory(log); got != nil {
		t.Errorf("without a file: %+v", got)
	}
	check(t, os.WriteFile(name+paceSuffix, []byte("{"), 0o600))
	if got := c.paceMemory(log); got != nil {
		t.Errorf("of a torn file: %+v", got)
	}
}
