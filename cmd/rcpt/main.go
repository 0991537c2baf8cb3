// Command rcpt tells whether e-mail addresses can receive mail.
//
// It reads the command line, the environment and the configuration file, hands the work to the packages engine and server, and prints
// what comes of it: results on standard output, everything else on standard error. The exit code is 0 when the work was done, whatever
// the verdicts, 1 when it could not be done, and 2 for wrong usage. Nothing about verification itself is decided here.
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
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the work could not be done
	exitUsage  = 2 // wrong usage
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run carries out one command line and returns its exit code. The first SIGINT or SIGTERM asks the command to end, the second kills.
func run(args []string) int {
	signal.Ignore(syscall.SIGPIPE) // so that a closed standard output is an error to report, not a silent death
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

// isReaderGone tells whether the reader of standard output has closed it, as
// head does: it has all that it wanted.
func isReaderGone(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Path == os.Stdout.Name() && errors.Is(failed.Err, syscall.EPIPE)
}

func execute(ctx context.Context, args []string, std terminal) error {
	unsetEmpty(os.Environ())
	parser, err := newParser(ctx, &commandLine{}, std)
	if err != nil {
		return err
	}
	if err := checkEnvironment(os.Environ(), parser.Model); err != nil {
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
		return usage(fmt.Errorf("%w (%s)", err, advice(args, err)))
	}
	return parsed.Run()
}

// newParser returns what reads a command line into commands.
func newParser(ctx context.Context, commands *commandLine, std terminal) (*kong.Kong, error) {
	parser, err := kong.New(commands,
		kong.Name("rcpt"),
		kong.Description("Finds out whether e-mail addresses can receive mail, without sending any."),
		kong.DefaultEnvars(environmentPrefix),
		kong.Help(printHelp),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std, &commands.logFlags),
	)
	if err != nil {
		return nil, err
	}
	parser.Model.HelpFlag.Help = "Print this help."
	requireValues(parser.Model.Node)
	return parser, nil
}

// advice is what may help after an error in args.
func advice(args []string, err error) string {
	for _, arg := range args {
		name, _, isAddress := strings.Cut(arg, "@")
		if isAddress && strings.HasPrefix(name, "-") && !strings.Contains(name, "=") && !errors.Is(err, errNoValue) {
			return `an address that begins with "-" stands behind "--", as in: rcpt verify -- ` + arg
		}
	}
	if len(args) > 0 && commandOf(err) == "rcpt" && !strings.HasPrefix(args[0], "-") {
		if command := commandFor(args[0]); command != "" {
			return "did you mean: " + command
		}
	}
	return "see " + commandOf(err) + " --help"
}

// commandFor is the command line that was perhaps meant by an argument in the
// place of a command.
func commandFor(arg string) string {
	switch {
	case looksLikeList(arg):
		return "rcpt bulk " + arg
	case strings.Contains(arg, "@"):
		return "rcpt verify " + arg
	}
	return ""
}

// commandOf is the command that the arguments had got to when they went wrong.
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
	Version versionFlag `short:"V" env:"-" help:"Print the version."`
	Config  configFlag  `placeholder:"FILE" help:"Read settings from this YAML file."`
	logFlags

	Verify     verifyCommand     `cmd:"" help:"Verify addresses and print what was found out."`
	Bulk       bulkCommand       `cmd:"" help:"Verify a list of any size and write every row back with its result."`
	Serve      serveCommand      `cmd:"" help:"Answer verifications over HTTP, with a dashboard."`
	Keys       keysCommand       `cmd:"" help:"Create, list, edit, rotate and revoke API keys, also while a server runs."`
	Accounts   accountsCommand   `cmd:"" help:"List the accounts of the dashboard, or give one a new password."`
	Health     healthCommand     `cmd:"" help:"Ask a server on this machine whether it is well."`
	Lists      listsCommand      `cmd:"" help:"Show what the lists hold, and update them."`
	Explain    explainCommand    `cmd:"" help:"Show how a mail host's reply is read, and by which rule."`
	Backup     backupCommand     `cmd:"" help:"Copy the embedded database to a file, also while a server runs."`
	Migrate    migrateCommand    `cmd:"" help:"Copy the embedded database into PostgreSQL, for several servers to share."`
	Demo       demoCommand       `cmd:"" help:"Try everything offline, in a made-up world of mail hosts."`
	Help       helpCommand       `cmd:"" help:"Explain a command."`
	VersionCmd versionCommand    `cmd:"" name:"version" help:"Print version, platform and embedded lists."`
	Completion completionCommand `cmd:"" help:"Print the completion script of a shell."`
	Man        manCommand        `cmd:"" help:"Print the man page."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"Print what a word may become, for the scripts of shells."`
}

// terminal is the standard streams.
type terminal struct {
	in, out, err *os.File
}

// usageError is an error in how the command was called.
type usageError struct{ error }

func usage(err error) error { return usageError{err} }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &wrong):
		return exitUsage
	}
	return exitFailed
}
