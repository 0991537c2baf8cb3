package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Command is "bench run". The current folder is that of the command.
type Command struct {
	Runs            int           `default:"5" help:"Runs of each scenario."`
	Limit           time.Duration `default:"3m" help:"Time for one tool in one run; what it has not begun by then is left out, and the table says so."`
	Only            []string      `placeholder:"NAME,…" help:"Only these scenarios: single, distinct, skewed, throughput, slow, wide, wide-slow, wide-tarpits, strict, service, operator, bulk."`
	Peers           []string      `placeholder:"NAME,…" help:"Only these peers: aftership, truemail."`
	Quick           bool          `help:"A smoke test in less than a minute: one run of little worlds. The figures mean little and are not kept."`
	Rcpt            string        `placeholder:"PATH" help:"The rcpt binary for the scenario bulk, which is left out without it."`
	SessionsPerHost int           `help:"Sessions that rcpt opens to one mail host at a time; 0: its default."`
	Results         string        `default:"results" help:"Folder for the results."`
}

// The scenarios that do not compare tools.
const (
	serviceName = "service"
	bulkName    = "bulk"
)

// quickLimit is the limit of a tool's run in a smoke test.
const quickLimit = 8 * time.Second

// Run runs the scenarios, prints the results and keeps them.
func (c *Command) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "rcpt-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := buildTools(ctx, folder); err != nil {
		return err
	}
	r := race{
		tools: toolsOf(c.Peers), runs: c.Runs, limit: c.Limit, sessionsPerHost: c.SessionsPerHost,
		folder: folder, progress: progress,
	}
	if c.Quick {
		r.runs, r.limit = 1, min(r.limit, quickLimit)
	}
	var text strings.Builder
	if err := c.writeHead(ctx, &text); err != nil {
		return err
	}
	for _, t := range c.measure(ctx, r, &text) {
		t.write(&text)
	}
	if _, err := io.WriteString(os.Stdout, text.String()); err != nil || ctx.Err() != nil || c.Quick {
		return err
	}
	return c.keep(ctx, text.String())
}

// measure runs the wanted scenarios. A failure ends its scenario alone; it is
// noted in the text.
func (c *Command) measure(ctx context.Context, r race, notes io.Writer) []*table {
	figures, harm := figuresTable(r.tools), harmTable()
	fail := func(name string, err error) { fmt.Fprintf(notes, "\n**%s was not measured**: %v\n", name, err) }
	for _, s := range scenarios() {
		if !c.wants(s.name) {
			continue
		}
		s = s.placed(c.Quick)
		all, err := r.run(ctx, s)
		if err != nil {
			fail(s.name, err)
			continue
		}
		fmt.Fprintf(notes, "- %s: %s\n", s.name, s.title)
		figures.addFigures(s, r.tools, all)
		harm.addHarm(s, r.tools, all)
	}
	tables := []*table{figures, harm}
	if c.wants(serviceName) {
		w := newWebService(c.Quick)
		if all, err := r.serve(ctx, w); err != nil {
			fail(serviceName, err)
		} else {
			tables = append(tables, all.table(w))
		}
	}
	if c.wants(crowdName) {
		crowd := newCrowd(c.Quick)
		operators, _, err := crowd.operators(ctx)
		if err == nil {
			tables = append(tables, operators)
			operators, err = crowd.besideGiant(ctx)
		}
		if err != nil {
			fail(crowdName, err)
		} else {
			tables = append(tables, operators)
		}
	}
	if c.wants(bulkName) && c.Rcpt != "" {
		b := newBulk(c.Rcpt, c.Quick)
		if run, err := r.pass(ctx, b); err != nil {
			fail(bulkName, err)
		} else {
			tables = append(tables, run.table(b))
		}
	}
	return slices.DeleteFunc(tables, func(t *table) bool { return len(t.rows) == 0 })
}

func (c *Command) wants(name string) bool { return len(c.Only) == 0 || slices.Contains(c.Only, name) }

func (c *Command) check() error {
	if c.Runs < 1 {
		return errors.New("at least one run is needed")
	}
	for _, name := range c.Peers {
		if !slices.ContainsFunc(tools(), func(t tool) bool { return t.name == name && t.module != "" }) {
			return fmt.Errorf("there is no peer %q; there are aftership and truemail", name)
		}
	}
	if len(c.Peers) > 0 && !slices.Contains(c.Peers, yardstick) {
		return fmt.Errorf("the goals compare with %s, which is not among the peers", yardstick)
	}
	known := []string{serviceName, crowdName, bulkName}
	for _, s := range scenarios() {
		known = append(known, s.name)
	}
	for _, name := range c.Only {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	if slices.Contains(c.Only, bulkName) && c.Rcpt == "" {
		return errors.New("the scenario bulk needs --rcpt")
	}
	return nil
}

func (c *Command) writeHead(ctx context.Context, w io.Writer) error {
	built, err := commit(ctx)
	if err != nil {
		return err
	}
	against, err := peers(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "# rcpt at %s, %s\n\n", built, time.Now().UTC().Format(time.DateOnly))
	fmt.Fprintf(w, "- machine: %s\n- peers: %s\n- command: `bench %s`\n",
		machine(), against, strings.Join(os.Args[1:], " "))
	if c.Quick {
		fmt.Fprintln(w, "- a smoke test: little worlds, one run; the figures and goals mean little")
	}
	fmt.Fprintln(w)
	return nil
}

// keep writes the results to a file named for the day and the commit.
func (c *Command) keep(ctx context.Context, text string) error {
	built, err := commit(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Results, 0o755); err != nil {
		return err
	}
	path := filepath.Join(c.Results, time.Now().UTC().Format(time.DateOnly)+"-"+built+".md")
	progress("kept in %s", path)
	return os.WriteFile(path, []byte(text), 0o644)
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
