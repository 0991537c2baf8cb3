package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list/file"
)

// journalSuffix follows the name of the output in the name of its journal.
const journalSuffix = ".rcpt-journal"

// listCondition is the condition of a journal that is not a flag.
const listCondition = "the list"

// conditions are what the results and the files of a run depend on. Flags that
// only change how mail hosts are asked may differ from run to run.
func (c *bulkCommand) conditions(in *file.Input) (map[string]string, error) {
	digest, err := in.Digest()
	if err != nil {
		return nil, err
	}
	all := map[string]string{
		listCondition:     digest,
		"--column":        strings.Join(c.Column, ", "),
		"--csv-raw":       fmt.Sprint(c.CSVRaw),
		"--dedupe":        c.Dedupe.condition(),
		"--details":       fmt.Sprint(c.Details),
		"--header-row":    fmt.Sprint(c.HeaderRow),
		"--level":         string(c.Level),
		"--only":          fmt.Sprint(c.Only),
		"--sample":        fmt.Sprint(c.Sample),
		"--seed":          fmt.Sprint(c.Seed),
		"--sheet":         c.Sheet,
		"--split":         fmt.Sprint(c.Split),
		"--retry-unknown": c.RetryUnknown,
	}
	if c.Since != "" {
		state, err := in.EarlierState()
		if err != nil {
			return nil, err
		}
		all["--since"], all["--since-max-age"] = c.Since, fmt.Sprint(time.Duration(c.SinceMaxAge))
		all[sinceCondition], all[oldestCondition] = state, in.Oldest().Format(time.RFC3339)
	}
	return all, nil
}

// Conditions of a run with --since.
const (
	sinceCondition  = "the file of --since"
	oldestCondition = "the oldest result that --since takes"
)

// openOldJournal opens the journal of the run to resume. That one took results
// of --since that were not too old at its time, and this one takes the same.
func openOldJournal(name string, conditions map[string]string, in *file.Input) (*bulk.Journal, error) {
	journal, err := bulk.OpenJournal(name, conditions)
	var changed *bulk.JournalChangedError
	if err == nil {
		return journal, takeFrom(in, conditions[oldestCondition])
	}
	if !errors.As(err, &changed) || changed.Condition != oldestCondition || changed.Now == "" {
		return nil, err
	}
	if err := takeFrom(in, changed.Then); err != nil {
		return nil, err
	}
	conditions[oldestCondition] = changed.Then
	return bulk.OpenJournal(name, conditions)
}

// takeFrom sets when the oldest result that --since takes was found.
func takeFrom(in *file.Input, oldest string) error {
	if oldest == "" {
		return nil // there is no --since
	}
	at, err := time.Parse(time.RFC3339, oldest)
	if err == nil {
		in.TakeFrom(at)
	}
	return err
}

// journalName is beside the output, or in the folder of --state, where the name
// distinguishes outputs of different folders.
func (c *bulkCommand) journalName() (string, error) {
	name := string(c.Output)
	if c.State == "" {
		return name + journalSuffix, nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	name = fmt.Sprintf("%s-%.4x%s", filepath.Base(name), sha256.Sum256([]byte(path)), journalSuffix)
	return filepath.Join(c.State, name), nil
}

// openJournal creates the journal of the run, or opens the one of the run to
// resume. It returns nil if the run could not be resumed anyway.
func (c *bulkCommand) openJournal(in *file.Input) (*bulk.Journal, error) {
	if err := c.checkResumable(in); err != nil {
		if c.Resume {
			return nil, usage(fmt.Errorf("--resume: %w", err))
		}
		return nil, nil
	}
	name, err := c.journalName()
	if err != nil {
		return nil, err
	}
	conditions, err := c.conditions(in)
	if err != nil {
		return nil, c.inputError(err)
	}
	if c.Resume {
		journal, err := openOldJournal(name, conditions, in)
		return journal, c.resumeError(name, err)
	}
	if err := takeFrom(in, conditions[oldestCondition]); err != nil {
		return nil, err
	}
	journal, err := bulk.CreateJournal(name, conditions)
	switch {
	case errors.Is(err, bulk.ErrJournalInUse):
		err = usage(fmt.Errorf("--output %s: %w", c.Output, file.ErrInUse))
	case errors.Is(err, fs.ErrNotExist):
		err = usage(fmt.Errorf("--output %s: %w", c.Output, syscall.ENOENT))
	case errors.Is(err, fs.ErrPermission):
		err = usage(fmt.Errorf("--output %s: %w; --state DIR moves the journal to another folder", c.Output, err))
	}
	return journal, err
}

// checkUnfinished fails if an earlier run to the output did not end and is
// neither resumed nor replaced.
func (c *bulkCommand) checkUnfinished() error {
	name, err := c.journalName()
	_, statErr := os.Stat(name)
	if c.toStdout() || c.Resume || c.Overwrite || err != nil || statErr != nil {
		return err
	}
	unfinished, err := bulk.OpenJournal(name, nil)
	if errors.Is(err, bulk.ErrJournalInUse) {
		return usage(fmt.Errorf("--output %s: %w", c.Output, file.ErrInUse))
	}
	if err == nil {
		_ = unfinished.Close()
	}
	const text = "--output %s: an earlier run did not end and left %s: " +
		"continue it with --resume, or start again with --overwrite"
	return usage(fmt.Errorf(text, c.Output, name))
}

// endJournal removes the journal of a run that is complete, or that would fail
// again. For others it says how many rows are left, and how to continue.
func (c *bulkCommand) endJournal(run bulkRun, err error, written int64) error {
	switch {
	case run.journal == nil && err == nil:
		return nil
	case run.journal == nil:
		return fmt.Errorf("%w; rows written: %d", err, written)
	case err == nil:
		return run.journal.Remove()
	}
	settled, total := run.journal.Settled(), run.input.Total()
	if run.input.IsBroken() || total.Exact && settled >= total.Rows && run.output.Err() == nil {
		err = fmt.Errorf("%w; rows written: %d", err, written)
		if removeErr := run.journal.Remove(); removeErr != nil {
			err = fmt.Errorf("%w; %w", err, removeErr)
		}
		return err
	}
	if closeErr := run.journal.Close(); closeErr != nil && !errors.Is(err, closeErr) {
		err = fmt.Errorf("%w; %w", err, closeErr)
	}
	left := rowsLeft(unitOf(run.input), total, settled)
	return fmt.Errorf("%w; %s; to continue: %s", err, left, resumeCommand(os.Args[1:]))
}

// rowsLeft says how many rows or addresses have no final result yet.
func rowsLeft(u unit, total file.Total, settled int64) string {
	left := max(0, total.Rows-settled)
	if left == 0 && !total.Exact { // the part that was read is done
		return "the rest of the list is left"
	}
	text := u.count(left) + " are left"
	if left == 1 {
		text = u.count(left) + " is left"
	}
	if total.Exact {
		return text
	}
	return "about " + text
}

// checkResumable says why a run cannot be resumed.
func (c *bulkCommand) checkResumable(in *file.Input) error {
	if c.toStdout() {
		const format = "a run to standard output cannot be resumed: " +
			"name a file with --output, for this run and the next"
		return errors.New(format)
	}
	if info, err := os.Stat(string(c.Output)); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the output %s is not a regular file", c.Output)
	}
	if c.Input == stdio || !in.IsRegular() {
		return errors.New("a list that is not a file cannot be read again: save it to a file first")
	}
	return nil
}

// resumeError says what to do when a journal cannot be used.
func (c *bulkCommand) resumeError(name string, err error) error {
	const startAgain = "replace --resume with --overwrite to start again"
	var changed *bulk.JournalChangedError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		const text = "--resume: there is no %s: no run to %s was started, or it has ended; leave --resume out"
		return usage(fmt.Errorf(text, name, c.Output))
	case errors.Is(err, bulk.ErrJournalInUse):
		return usage(fmt.Errorf("--resume: another run writes %s", c.Output))
	case errors.As(err, &changed) && changed.Condition == listCondition:
		return usage(fmt.Errorf("--resume: %s has changed since the run started: %s", c.Input, startAgain))
	case errors.As(err, &changed) && changed.Condition == sinceCondition:
		return usage(fmt.Errorf("--resume: %s has changed since the run started: %s", c.Since, startAgain))
	case errors.As(err, &changed):
		const text = "--resume: the run started with %s %s, not %s: give the same value, or %s"
		then, now := cmp.Or(changed.Then, `""`), cmp.Or(changed.Now, `""`)
		return usage(fmt.Errorf(text, changed.Condition, then, now, startAgain))
	case errors.Is(err, bulk.ErrJournalVersion):
		return usage(fmt.Errorf("--resume: %w; %s", err, startAgain))
	}
	return fmt.Errorf("--resume: %w", err)
}

// resumeCommand is the command that continues a run.
func resumeCommand(args []string) string {
	words := []string{"rcpt"}
	for _, arg := range args {
		if arg != "--overwrite" && !strings.HasPrefix(arg, "--overwrite=") && arg != "--resume" {
			words = append(words, quoted(proxyPassword.ReplaceAllString(arg, "${1}PASSWORD@")))
		}
	}
	end := slices.Index(words, "--")
	if end < 0 {
		end = len(words)
	}
	return strings.Join(slices.Insert(words, end, "--resume"), " ")
}

var (
	// proxyPassword finds the password in the URL of a proxy.
	proxyPassword = regexp.MustCompile(`(://[^/@:]*:)[^/]*@`)
	plainWord     = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./~-]+$`)
)

// quoted quotes a word for a POSIX shell.
func quoted(word string) string {
	if plainWord.MatchString(word) && !strings.HasPrefix(word, "~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
