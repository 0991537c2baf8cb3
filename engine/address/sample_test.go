package address

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// sampleFile holds labelled addresses; it is no part of this repository.
const sampleFile = "../../../shared/data/syntax.sample.jsonl"

// sampleRow is one line of the sample. Generator is a list of strings and
// {"repeat": [text, count]}.
type sampleRow struct {
	ID          string
	Address     string
	Generator   []json.RawMessage
	Expect      string
	Why         string
	DomainASCII *string `json:"domain_ascii"`
}

func TestSample(t *testing.T) {
	tested, right := map[string]int{}, map[string]int{}
	for _, row := range readSample(t) {
		a, err := Parse(row.input(t))
		if row.Expect == "either" {
			continue
		}
		tested[row.Expect]++
		switch {
		case (err == nil) != (row.Expect == "valid"):
			t.Logf("%s %+q: want %s (%s), got error %v", row.ID, row.Address, row.Expect, row.Why, err)
		case err == nil && row.DomainASCII != nil && a.Domain() != *row.DomainASCII:
			t.Logf("%s %+q: domain %q, want %q", row.ID, row.Address, a.Domain(), *row.DomainASCII)
		default:
			right[row.Expect]++
		}
	}
	for _, expect := range []string{"valid", "invalid"} {
		n := tested[expect]
		t.Logf("%s: %d of %d right", expect, right[expect], n)
		if n == 0 || 100*right[expect] < 99*n {
			t.Errorf("%s: fewer than 99 %% are right", expect)
		}
	}
}

func readSample(t *testing.T) []sampleRow {
	t.Helper()
	f, err := os.Open(sampleFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NOT TESTED: the sample corpus %s is missing", sampleFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []sampleRow
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row sampleRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	return rows
}

func (r sampleRow) input(t *testing.T) string {
	t.Helper()
	if r.Generator == nil {
		return r.Address
	}
	var b strings.Builder
	for _, part := range r.Generator {
		var text string
		if json.Unmarshal(part, &text) == nil {
			b.WriteString(text)
			continue
		}
		var repeat struct{ Repeat [2]json.RawMessage }
		var n int
		if err := errors.Join(json.Unmarshal(part, &repeat), json.Unmarshal(repeat.Repeat[0], &text), json.Unmarshal(repeat.Repeat[1], &n)); err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		b.WriteString(strings.Repeat(text, n))
	}
	return b.String()
}
