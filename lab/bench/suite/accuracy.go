package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/accuracy"
	"github.com/rcpt/rcpt/internal/demo"
	"github.com/rcpt/rcpt/lab/bench/drive"
)

// AccuracyCommand asks every tool about the situations of "rcpt demo", whose
// right verdicts are known.
type AccuracyCommand struct {
	Rcpt   string `help:"The rcpt command, whose own table is written into --readme." type:"existingfile"`
	Readme string `help:"Write both tables into this file, between the lines that are for them." type:"existingfile"`
}

// Run prints the table of the tools.
func (c *AccuracyCommand) Run(ctx context.Context) error {
	table, err := accuracyTable(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(os.Stdout, table); err != nil || c.Readme == "" {
		return err
	}
	if c.Rcpt == "" {
		return errors.New("--readme needs --rcpt")
	}
	own, err := exec.CommandContext(ctx, c.Rcpt, "accuracy").Output()
	if err != nil {
		return err
	}
	page, err := os.ReadFile(c.Readme)
	if err != nil {
		return err
	}
	text, err := withTable(string(page), "rcpt accuracy", string(own))
	if err == nil {
		text, err = withTable(text, "bench accuracy", table)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Readme, []byte(text), 0o644)
}

// withTable returns a page with the table that a command prints in its place.
func withTable(page, command, table string) (string, error) {
	before, rest, ok1 := strings.Cut(page, "<!-- "+command+" prints this table -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->\n")
	if !ok1 || !ok2 {
		return "", fmt.Errorf("the page has no place for the table of %s", command)
	}
	return before + "<!-- " + command + " prints this table -->\n" + table + "<!-- end -->\n" + after, nil
}

// patience is how long the mail hosts are there: the others wait for a silent
// one for minutes or for ever.
const patience = 20 * time.Second

// accuracyTable asks every tool. The mail hosts are new for each, so that none
// meets the greylists of another; they listen on port 25.
func accuracyTable(ctx context.Context) (string, error) {
	folder, err := os.MkdirTemp("", "rcpt-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	if err := buildTools(ctx, folder); err != nil {
		return "", err
	}
	table := accuracy.Head
	for _, t := range tools() {
		tally, err := t.situations(ctx, folder)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.name, err)
		}
		name := t.title
		if t.module != "" {
			version, err := moduleVersion(ctx, t.module)
			if err != nil {
				return "", err
			}
			name = fmt.Sprintf("[%s](https://%s) %s", strings.TrimPrefix(t.module, "github.com/"), t.module, version)
		}
		table += tally.Row(name)
	}
	return table, nil
}

// situations asks one tool: rcpt as "rcpt accuracy" does.
func (t tool) situations(ctx context.Context, folder string) (accuracy.Tally, error) {
	if t.name == ours {
		return accuracy.Situations(ctx)
	}
	hosts, err := demo.ListenOn("25")
	if err != nil {
		return accuracy.Tally{}, err
	}
	leave := sync.OnceFunc(hosts.Close)
	defer leave()
	defer time.AfterFunc(patience, leave).Stop()
	setting := drive.Setting{DNS: hosts.Resolver}
	setting.Spec.Port = 25
	cases := demo.Cases()
	for _, c := range cases {
		setting.Addresses = append(setting.Addresses, c.Address)
	}
	setting.Concurrency = len(cases)
	report, err := t.drive(ctx, folder, drive.Order{Limit: patience, Setting: setting})
	if err != nil {
		return accuracy.Tally{}, err
	}
	if len(report.Answers) != len(cases) {
		return accuracy.Tally{}, fmt.Errorf("%d of %d addresses were answered", len(report.Answers), len(cases))
	}
	var tally accuracy.Tally
	for _, answer := range report.Answers {
		tally.Add(rcpt.Verdict(answer.Verdict), cases[answer.Place].Verdict)
	}
	return tally, nil
}

// moduleVersion returns the version of a module that this one needs.
func moduleVersion(ctx context.Context, module string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", module).Output()
	return strings.TrimSpace(string(out)), err
}
