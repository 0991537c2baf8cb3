package listupdate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
	"github.com/rcpt/rcpt/lists"
)

func TestIsStriking(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int
		want          bool
	}{
		{"the same", 1000, 1000, false},
		{"a quarter more", 1000, 1250, false},
		{"more than that", 1000, 1251, true},
		{"a quarter less", 1000, 750, false},
		{"less than that", 1000, 749, true},
		{"a short list grows", 34, 84, false},
		{"by more than a few", 34, 85, true},
		{"a short list is gone", 34, 0, true},
		{"a new list", 0, 5000, false},
	} {
		if got := (listChange{before: c.before, after: c.after}).isStriking(); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestChanges(t *testing.T) {
	got := changes(
		[]lists.Info{{Kind: "role", Count: 1}, {Kind: "gone", Count: 2}, {Kind: "free", Count: 3}},
		[]lists.Info{{Kind: "free", Count: 4}, {Kind: "new", Count: 5}, {Kind: "role", Count: 6}},
	)
	want := []listChange{{"role", 1, 6}, {"gone", 2, 0}, {"free", 3, 4}, {"new", 0, 5}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(listChange{})); diff != "" {
		t.Error(diff)
	}
}

func TestStepCheck(t *testing.T) {
	embedded, err := lists.Embedded()
	check(t, err)
	for _, c := range []struct {
		name     string
		from, to []string
		refused  string // beginning or part of the objection; empty: none
		forced   string // the same with --force
	}{
		{"a later one", nil, []string{editiontest.DateLine, editiontest.Late}, "", ""},
		{"a list has grown", nil, []string{`(?m)^list: role\t`, "${0}1"}, "the list role has", ""},
		{"no date", nil, []string{editiontest.DateLine, "date: soon"}, "has the date", "has the date"},
		{"older than the embedded one", nil, []string{editiontest.DateLine, editiontest.Early}, "older than the embedded one", "older than the embedded one"},
		{"older than the one in use", []string{editiontest.DateLine, editiontest.Later}, []string{editiontest.DateLine, editiontest.Late}, "older than the one in use, of 2999-01-02", ""},
		{"a list has shrunk", nil, []string{editiontest.DateLine, editiontest.Late, `list: free\t\d+`, "list: free\t100"}, "the list free has 100 entries and had ", ""},
		{"a list is gone", nil, []string{editiontest.DateLine, editiontest.Late, `list: relay\t.*\n`, ""}, "the list relay has 0 entries", ""},
		{"a list is new", nil, []string{editiontest.DateLine, editiontest.Late, `\nlist: free`, "\nlist: novel\t9999\t0\tnew${0}"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := embedded
			if c.from != nil {
				from = bundleFor(t, c.from...)
			}
			step, err := StepFrom(from, bundleFor(t, c.to...))
			check(t, err)
			wantRefusal(t, step.Check(false), c.refused)
			wantRefusal(t, step.Check(true), c.forced)
		})
	}
}

func bundleFor(t *testing.T, edits ...string) *lists.Bundle {
	t.Helper()
	bundle, err := lists.ReadBundle(editionFor(t, edits...))
	check(t, err)
	return bundle
}

func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}
