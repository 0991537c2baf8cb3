package main

import (
	"context"
	"errors"
	"fmt"
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

	err := execute(ctx, args)
	if err != nil {
		tell(os.Stderr, err)
	}
	return exitCode(err)
}

func execute(ctx context.Context, args []string) error {
	unsetEmpty(os.Environ())
	parser, err := newParser(ctx, &commandLine{})
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return usage(fmt.Errorf("%w (%s)", err, advice(args, err)))
	}
	return parsed.Run()
}

// newParser returns what reads a command line into commands.
func newParser(ctx context.Context, commands *commandLine) (*kong.Kong, error) {
	parser, err := kong.New(commands,
		kong.Name("rcpt"),
		kong.Description("Tells whether e-mail addresses can receive mail."),
		kong.DefaultEnvars(environmentPrefix),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}, &commands.logFlags),
	)
	if err != nil {
		return nil, err
	}
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
	return "see " + commandOf(err) + " --help"
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
	Config configFlag `placeholder:"FILE" help:"Read settings from this YAML file; its keys are the names of the flags."`
	logFlags

	Verify  verifyCommand  `cmd:"" help:"Verify addresses and print what was found out."`
	Bulk    bulkCommand    `cmd:"" help:"Verify a list of any size and write every row back with its result."`
	Serve   serveCommand   `cmd:"" help:"Answer verifications over HTTP."`
	Keys    keysCommand    `cmd:"" help:"Make, list and revoke API keys, also while a server runs."`
	Health  healthCommand  `cmd:"" help:"Ask a server on this machine whether it is well."`
	Lists   listsCommand   `cmd:"" help:"Tell what the lists hold, and bring them up to date."`
	Explain explainCommand `cmd:"" help:"Tell how a mail host's reply is read, and why."`
	Backup  backupCommand  `cmd:"" help:"Write a copy of the embedded database, whether a server uses it or not."`
	Migrate migrateCommand `cmd:"" help:"Copy the embedded database into PostgreSQL, for several servers to share."`
	Demo    demoCommand    `cmd:"" help:"Serve a made-up mail world in this process: everything to try, nothing sent anywhere."`
	Version versionCommand `cmd:"" help:"Print version, platform and embedded lists."`
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
