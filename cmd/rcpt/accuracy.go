package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/rcpt/rcpt/internal/accuracy"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// accuracyCommand is "rcpt accuracy".
type accuracyCommand struct {
	Folder string `arg:"" optional:"" help:"Folder whose *.jsonl files have more labelled replies or addresses: a row of the table for each file."`
}

// Run prints the table.
func (c *accuracyCommand) Run(ctx context.Context, std terminal) error {
	names, err := c.samples()
	if err != nil {
		return err
	}
	if tty.Is(std.err) {
		fmt.Fprintln(std.err, "Verifying; this takes some seconds …")
	}
	tally, err := accuracy.Sample(accuracy.Replies)
	if err != nil {
		return err
	}
	samples := tally.Row("replies from other projects' sources, documents and logs")
	for _, name := range names {
		lines, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if tally, err = accuracy.Sample(lines); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		samples += tally.Row(filepath.Base(name))
	}
	situations, err := accuracy.Situations(ctx)
	if err != nil {
		return err
	}
	table := accuracy.Head + situations.Row("whole verifications: the situations of rcpt demo") + samples
	if tty.Is(std.out) {
		return writeAligned(std.out, table)
	}
	_, err = io.WriteString(std.out, table)
	return err
}

// writeAligned writes a table in Markdown for people.
func writeAligned(w io.Writer, table string) error {
	text := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for line := range strings.Lines(table) {
		if cells := strings.Trim(line, "| \n"); !strings.HasPrefix(cells, "---") {
			fmt.Fprintln(text, strings.ReplaceAll(cells, " | ", "\t"))
		}
	}
	return text.Flush()
}

// samples returns the files of the folder, in the order of their names.
func (c *accuracyCommand) samples() ([]string, error) {
	if c.Folder == "" {
		return nil, nil
	}
	if _, err := os.ReadDir(c.Folder); err != nil {
		return nil, usage(fmt.Errorf("%s: %w", c.Folder, wholefile.WithoutPath(err)))
	}
	names, err := filepath.Glob(filepath.Join(c.Folder, "*.jsonl"))
	if err == nil && len(names) == 0 {
		err = usage(fmt.Errorf("%s has no .jsonl files", c.Folder))
	}
	return names, err
}
