// Command rcpt verifies e-mail addresses: it tells whether they can receive
// mail.
//
// What lives here is the commands: their flags, and how their results are
// printed. The environment, the configuration file and the flags of several
// commands are in internal/settings; the work is that of the packages engine,
// bulk, internal/list and internal/service. Results go to standard output,
// everything else to standard error. The exit code is 0 if the work was done,
// whatever the verdicts, 1 if it could not be done, and 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the work could not be done
	exitUsage  = 2 // wrong usage
	exitLimit  = 3 // a list has passed a limit of --fail-above
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run executes a command line and returns its exit code. The first SIGINT or
// SIGTERM asks the command to end, the second kills the process.
func run(args []string) int {
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error to report
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	std := terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	err := execute(ctx, args, std)
	if isReaderGone(err) {
		return exitDone
	}
	if err != nil {
		printError(os.Stderr, err)
	}
	return exitCode(err)
}

// isReaderGone reports whether the reader of standard output closed it, as head
// does.
func isReaderGone(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Path == os.Stdout.Name() && errors.Is(failed.Err, syscall.EPIPE)
}

func execute(ctx context.Context, args []string, std terminal) error {
	settings.UnsetEmpty(os.Environ())
	if err := settings.ReadSecrets(); err != nil {
		return usage(err)
	}
	parser, err := newParser(ctx, &commandLine{}, std)
	if err != nil {
		return err
	}
	if err := settings.CheckEnvironment(os.Environ(), parser.Model); err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if errors.Is(err, errPrinted) {
		return nil
	}
	if printed, failed := helpInstead(err, std); printed {
		return failed
	}
	if err != nil {
		said := err.Error()
		if argument, missing := strings.CutPrefix(said, "expected "); missing {
			said = "missing: " + argument
		}
		return usage(fmt.Errorf("%s (%s)", said, advice(args, err)))
	}
	return parsed.Run()
}

// newParser returns the parser of command lines.
func newParser(ctx context.Context, commands *commandLine, std terminal) (*kong.Kong, error) {
	parser, err := kong.New(commands,
		kong.Name("rcpt"),
		kong.Description("Finds out whether e-mail addresses can receive mail, without sending any."),
		kong.DefaultEnvars(settings.EnvironmentPrefix),
		kong.Vars{"sessions_per_host": "20"},
		kong.Help(printHelp),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std, &commands.LogFlags, &commands.Config),
	)
	if err != nil {
		return nil, err
	}
	parser.Model.HelpFlag.Help = "Print this help."
	settings.RequireValues(parser.Model.Node)
	return parser, nil
}

// advice is a hint for an error in args.
func advice(args []string, err error) string {
	for _, arg := range args {
		name, _, isAddress := strings.Cut(arg, "@")
		asFlag := isAddress && strings.HasPrefix(name, "-") && !strings.Contains(name, "=")
		if asFlag && !errors.Is(err, settings.ErrNoValue) {
			return `write an address that begins with "-" after "--", as in: rcpt verify -- ` + arg
		}
	}
	if len(args) > 0 && commandOf(err) == "rcpt" && !strings.HasPrefix(args[0], "-") {
		if command := commandFor(args[0]); command != "" {
			return "did you mean: " + command
		}
	}
	return "see " + commandOf(err) + " --help"
}

// commandFor returns the command line that the user may have meant by an
// argument in the place of a command.
func commandFor(arg string) string {
	switch {
	case looksLikeList(arg):
		return "rcpt bulk " + arg
	case strings.Contains(arg, "@"):
		return "rcpt verify " + arg
	}
	return ""
}

// commandOf returns the command that an error of parsing is about.
func commandOf(err error) string {
	if wrong := new(kong.ParseError); errors.As(err, &wrong) {
		for node := wrong.Context.Selected(); node != nil; node = node.Parent {
			if node.Type == kong.CommandNode {
				return node.FullPath()
			}
		}
	}
	return "rcpt"
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Version versionFlag         `short:"V" env:"-" help:"Print the version."`
	Config  settings.ConfigFlag `placeholder:"FILE" help:"Read settings from this YAML file."`
	settings.LogFlags

	Verify     verifyCommand     `cmd:"" help:"Verify addresses and print the results."`
	Bulk       bulkCommand       `cmd:"" help:"Verify a list of any size and write it back with the results."`
	Serve      serveCommand      `cmd:"" help:"Serve verifications over HTTP, with a dashboard."`
	Keys       keysCommand       `cmd:"" help:"Create, list, edit, rotate and revoke API keys, also while a server runs."`
	Jobs       jobsCommand       `cmd:"" help:"List the lists that servers verify, pause, resume, cancel or delete them."`
	Webhooks   webhooksCommand   `cmd:"" help:"List webhooks and their tries, send one again, test a receiver, or make a new secret."`
	Accounts   accountsCommand   `cmd:"" help:"Create, list, change and remove the accounts of the dashboard."`
	Forget     forgetCommand     `cmd:"" help:"Erase addresses from all that a server has stored, also while it runs."`
	Health     healthCommand     `cmd:"" help:"Check whether a server on this machine is healthy."`
	Doctor     doctorCommand     `cmd:"" help:"Find out what keeps this machine from verifying mailboxes, and what to do about it."`
	Lists      listsCommand      `cmd:"" help:"Show the lists of known domains and names, and update them."`
	Explain    explainCommand    `cmd:"" help:"Show how a mail host's reply is classified, or how fast a provider is asked."`
	MCP        mcpCommand        `cmd:"" name:"mcp" set:"sessions_per_host=1" help:"Serve tools for agents, by the Model Context Protocol on standard input and output."`
	ConfigCmd  configCommand     `cmd:"" name:"config" help:"Check a configuration file, or show which settings are in force."`
	Backup     backupCommand     `cmd:"" help:"Copy the embedded database to a file, also while a server runs."`
	Migrate    migrateCommand    `cmd:"" help:"Copy the embedded database into PostgreSQL, for several servers to share."`
	Accuracy   accuracyCommand   `cmd:"" help:"Print how often verdicts are right, about simulated mail hosts and labelled replies."`
	Demo       demoCommand       `cmd:"" help:"Try everything offline, with simulated mail hosts."`
	Help       helpCommand       `cmd:"" help:"Explain a command."`
	VersionCmd versionCommand    `cmd:"" name:"version" help:"Print version, commit, platform and embedded lists."`
	Licences   licencesCommand   `cmd:"" help:"Print the licences of rcpt and of everything in the binary."`
	Completion completionCommand `cmd:"" help:"Print the completion script of a shell."`
	Man        manCommand        `cmd:"" help:"Print the man page."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"Print completions of a word, for the scripts of shells."`
}

// terminal holds the standard streams.
type terminal struct {
	in, out, err *os.File
}

// usage marks an error as one of wrong usage.
func usage(err error) error { return settings.Usage(err) }

func exitCode(err error) int {
	var wrong settings.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &wrong):
		return exitUsage
	case errors.As(err, new(limitError)):
		return exitLimit
	}
	return exitFailed
}
