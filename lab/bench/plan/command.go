package plan

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Marks of the part of a page that the command writes.
const (
	beginMark = "<!-- written by: cd lab/bench && go run . plan --write ../../docs/planning.md -->\n"
	endMark   = "<!-- end -->\n"
)

// Command is "bench plan".
type Command struct {
	Write string `placeholder:"FILE" help:"Put the tables into this page instead of printing them."`
}

// Run prints the tables, or puts them into a page.
func (c *Command) Run() error {
	tables, err := Tables()
	if err != nil {
		return err
	}
	if c.Write == "" {
		_, err := os.Stdout.WriteString(tables)
		return err
	}
	page, err := os.ReadFile(c.Write)
	if err != nil {
		return err
	}
	updated, err := replaced(string(page), tables)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Write, err)
	}
	return os.WriteFile(c.Write, []byte(updated), 0o644)
}

// replaced returns a page with other tables between its marks.
func replaced(page, tables string) (string, error) {
	before, rest, found := strings.Cut(page, beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !found || !ended {
		return "", errors.New("the page does not have the marks between which the tables belong")
	}
	return before + beginMark + "\n" + tables + endMark + after, nil
}
