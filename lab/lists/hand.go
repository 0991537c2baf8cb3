package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hand is what the files in hand hold, a field each.
type hand struct {
	allow, disposableAdd, relay, freeSubdomain []row
	disposableHosts, sharedHosts, parkedHosts  []row
	freeAdd, freeDrop                          []row
	roleAdd, roleDrop, roleQualifiers          []row
	spamtrap, typoTargets, typoExempt          []row
}

// row is a line of a hand file.
type row struct {
	name    string   // the first column
	columns []string // all of them
	at      string   // file and line, for messages
}

func (r row) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{r.at}, args...)...)
}

func readHand(dir string) (hand, error) {
	var h hand
	for _, f := range h.files() {
		rows, err := f.read(dir)
		if err != nil {
			return h, err
		}
		*f.into = rows
	}
	return h, h.agree()
}

// handFile is the form of a hand file.
type handFile struct {
	name    string
	into    *[]row
	columns []check
}

func (f handFile) read(dir string) ([]row, error) {
	file, err := os.Open(filepath.Join(dir, f.name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var rows []row
	seen := make(set)
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		r := row{name: columns[0], columns: columns, at: fmt.Sprintf("%s:%d", f.name, number)}
		if err := f.check(r); err != nil {
			return nil, err
		}
		if seen[r.name] {
			return nil, r.errorf("%q is there twice", r.name)
		}
		seen[r.name] = true
		rows = append(rows, r)
	}
	return rows, scanner.Err()
}

func (f handFile) check(r row) error {
	if len(r.columns) != len(f.columns) {
		return r.errorf("%q has %d columns, not %d", r.name, len(r.columns), len(f.columns))
	}
	for i, check := range f.columns {
		if err := check(r.columns[i]); err != nil {
			return r.errorf("%w", err)
		}
	}
	return nil
}

func names(rows []row) set {
	s := make(set, len(rows))
	for _, r := range rows {
		s[r.name] = true
	}
	return s
}

func column(i int) func(row) string { return func(r row) string { return r.columns[i] } }

func nothing(row) string { return "" }
