package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/manual"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// helpWidth is the width of help in a file or a pipe.
const helpWidth = 80

// helpCommand is "rcpt help".
type helpCommand struct {
	Topic []string `arg:"" optional:"" name:"command" help:"The command to explain, such as: keys create. \"environment\" lists the variables that set flags."`
}

// environmentTopic is a topic of "rcpt help" that is not a command.
const environmentTopic = "environment"

// Run prints the help of a command.
func (c *helpCommand) Run(std terminal, model *kong.Kong) error {
	if slices.Equal(c.Topic, []string{environmentTopic}) {
		return writeEnvironment(std.out, model.Model)
	}
	book := manualOf(model.Model)
	node, rest := book.Find(c.Topic)
	if len(rest) > 0 {
		return usage(fmt.Errorf("there is no command %q: see rcpt help", strings.Join(c.Topic, " ")))
	}
	return book.Help(std.out, node, tty.Width(std.out, helpWidth))
}

// printHelp prints the help for --help. kong calls it.
func printHelp(_ kong.HelpOptions, parsed *kong.Context) error {
	node := parsed.Selected()
	if node == nil {
		node = parsed.Model.Node
	}
	return manualOf(parsed.Model).Help(parsed.Stdout, node, tty.Width(os.Stdout, helpWidth))
}

// manualOf returns the manual of the command line.
func manualOf(app *kong.Application) manual.Manual {
	return manual.Manual{
		App:      app,
		Chapters: chapters,
		Examples: examples,
		Footer: `Flags can also be set in the environment (--smtp-port as RCPT_SMTP_PORT) ` +
			`or in the file of --config: see "rcpt help environment". ` +
			`"rcpt help COMMAND" explains a command.`,
	}
}

// chapters group the commands in the help.
var chapters = []manual.Chapter{
	{Title: "Verify addresses", Commands: []string{"verify", "bulk", "explain", "doctor", "lists", "mcp"}},
	{Title: "Run a service", Commands: []string{
		"serve", "keys", "jobs", "webhooks", "accounts", "forget", "health", "config", "backup",
		"migrate",
	}},
	{Title: "Learn", Commands: []string{"demo", "accuracy", "help", "version", "licences", "completion", "man"}},
}

// writeEnvironment lists the variables that set flags.
func writeEnvironment(w io.Writer, app *kong.Application) error {
	var text strings.Builder
	text.WriteString("The command line overrides these variables, and they override the file of --config.\n" +
		"An empty variable counts as unset. An RCPT_ variable that is not listed is an error.\n" +
		"A variable that may be a secret can be in a file, whose path is in the variable of its name " +
		"with _FILE behind it: " +
		strings.Join(settings.SecretVariables, ", ") + ".\n\n")
	fmt.Fprintf(&text, "%-28s  %s\n", keyring.FixedVariable, "the key of the server, in serve, demo and mcp")
	for _, variable := range settings.Variables(app) {
		fmt.Fprintf(&text, "%-28s  --%s\n", variable.Name, variable.Flag)
	}
	fmt.Fprintf(&text, "%-28s  %s\n", "NO_COLOR", "when set, no colours")
	_, err := io.WriteString(w, text.String())
	return err
}

// helpInstead prints the help of a command that was called without its
// subcommand, such as "rcpt" and "rcpt keys".
func helpInstead(err error, std terminal) (printed bool, failed error) {
	wrong := new(kong.ParseError)
	if !errors.As(err, &wrong) || wrong.Context == nil || wrong.Context.Error != nil {
		return false, nil
	}
	node := wrong.Context.Selected()
	if node == nil {
		node = wrong.Context.Model.Node
	}
	if len(node.Children) == 0 {
		return false, nil
	}
	return true, manualOf(wrong.Context.Model).Help(std.out, node, tty.Width(std.out, helpWidth))
}

// completeCommand is "rcpt complete", which the completion scripts call.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"The words after rcpt, up to the one to complete."`
}

// Run prints one candidate per line: the word, a tab and its description.
func (c *completeCommand) Run(std terminal, model *kong.Kong) error {
	for _, candidate := range manualOf(model.Model).Complete(c.Words) {
		if _, err := fmt.Fprintf(std.out, "%s\t%s\n", candidate.Word, candidate.About); err != nil {
			return err
		}
	}
	return nil
}

// completionCommand is "rcpt completion".
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// Run prints the script.
func (c *completionCommand) Run(std terminal, model *kong.Kong) error {
	script, err := manualOf(model.Model).Script(c.Shell)
	if err != nil {
		return err
	}
	_, err = io.WriteString(std.out, script)
	return err
}

// manCommand is "rcpt man".
type manCommand struct{}

// Run prints the man page.
func (*manCommand) Run(std terminal, model *kong.Kong) error {
	page := manPage
	page.Manual, page.Version, page.Date = manualOf(model.Model), version(), builtFrom().day()
	return page.Write(std.out)
}
