package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// configCommand is "rcpt config".
type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Check a configuration file, and the lists and rules that it names."`
	Show  configShowCommand  `cmd:"" help:"Print the settings of a command, and where each comes from."`
}

// configCheckCommand is "rcpt config check".
type configCheckCommand struct {
	File string `arg:"" help:"The configuration file."`
}

// Run prints every error in the file.
func (c *configCheckCommand) Run(std terminal, model *kong.Kong) error {
	data, err := wholefile.Read(c.File)
	if err != nil {
		return usage(fmt.Errorf("%s: %w", c.File, err))
	}
	count, errs := settings.Check(c.File, data, model.Model)
	if len(errs) == 0 {
		_, err := fmt.Fprintf(std.out, "%s is valid: %d settings\n", tty.Printable(c.File), count)
		return err
	}
	for _, err := range errs {
		text := tty.Printable(lineBreaks.Replace(fmt.Sprintf("%s: %v", c.File, err)))
		if _, err := io.WriteString(std.err, text+"\n"); err != nil {
			return err
		}
	}
	return usage(fmt.Errorf("%s is not valid", c.File))
}

// configShowCommand is "rcpt config show".
type configShowCommand struct {
	JSON bool     `name:"json" env:"-" help:"Print JSON lines."`
	Line []string `arg:"" optional:"" name:"command" passthrough:"partial" help:"The command with its flags and arguments, as you would run it. Default: serve."`
}

// Run prints what the command would use, without running it.
func (c *configShowCommand) Run(ctx context.Context, std terminal, outer *kong.Context) error {
	line := c.Line
	if len(line) == 0 {
		line = []string{"serve"}
	}
	if path := onCommandLine(outer, "config"); path != "" {
		line = append([]string{"--config", path}, line...)
	}
	parser, err := newParser(ctx, &commandLine{}, std)
	if err != nil {
		return err
	}
	given := settings.Watch(parser.Model.Node)
	parsed, err := parser.Parse(line)
	if errors.Is(err, errPrinted) {
		return nil
	}
	if err != nil {
		return usage(err)
	}
	all := given.InForce(parsed)
	if c.JSON {
		encoder := newEncoder(std.out)
		for _, setting := range all {
			if err := encoder.Encode(setting); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, s := range all {
		from := s.From
		if s.Place != "" {
			from += " " + s.Place
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, tty.Printable(orDash(s.Value)), tty.Printable(from))
	}
	return table.Flush()
}

// onCommandLine returns the value of a flag of the type configFlag on the
// command line, or "".
func onCommandLine(parsed *kong.Context, name string) string {
	for _, element := range parsed.Path {
		if element.Flag != nil && element.Flag.Name == name && !element.Resolved {
			return string(parsed.FlagValue(element.Flag).(settings.ConfigFlag))
		}
	}
	return ""
}
