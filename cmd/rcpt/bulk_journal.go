package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/rcpt/rcpt/bulk"
)

// journalSuffix is behind the name of the output in that of its journal.
const journalSuffix = ".rcpt-journal"

// theList is the condition of a journal that is not a flag.
const theList = "the list"

// conditions are what the results and the files of a run depend on. Who asks,
// and how fast, may change from run to run.
func (c *bulkCommand) conditions(in *listInput) (map[string]string, error) {
	digest := sha256.New()
	size, err := io.Copy(digest, io.NewSectionReader(in.file, 0, in.size))
	if err != nil {
		return nil, err
	}
	return map[string]string{
		theList:           fmt.Sprintf("%d octets, SHA-256 %x", size, digest.Sum(nil)),
		"--column":        strings.Join(c.Column, ", "),
		"--csv-raw":       fmt.Sprint(c.CSVRaw),
		"--dedupe":        fmt.Sprint(c.Dedupe),
		"--details":       fmt.Sprint(c.Details),
		"--level":         string(c.Level),
		"--only":          fmt.Sprint(c.Only),
		"--split":         fmt.Sprint(c.Split),
		"--retry-unknown": c.RetryUnknown,
	}, nil
}

// journalName is beside the output, or in the folder of --state, where the name
// tells outputs of different folders apart.
func (c *bulkCommand) journalName() (string, error) {
	name := string(c.Output)
	if c.State == "" {
		return name + journalSuffix, nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.State, fmt.Sprintf("%s-%.4x%s", filepath.Base(name), sha256.Sum256([]byte(path)), journalSuffix)), nil
}

// openJournal makes the journal of the run, or opens that of the run to go on
// with. There is none for what cannot be read or written twice.
func (c *bulkCommand) openJournal(in *listInput) (*bulk.Journal, error) {
	if err := c.canJournal(in); err != nil {
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
		journal, err := bulk.OpenJournal(name, conditions)
		return journal, c.resumeError(name, err)
	}
	journal, err := bulk.CreateJournal(name, conditions)
	switch {
	case errors.Is(err, bulk.ErrJournalInUse):
		err = usage(fmt.Errorf("--output %s: another run writes it", c.Output))
	case errors.Is(err, fs.ErrNotExist):
		err = usage(fmt.Errorf("--output %s: %w", c.Output, syscall.ENOENT))
	case errors.Is(err, fs.ErrPermission):
		err = usage(fmt.Errorf("--output %s: %w; --state DIR puts the journal into another folder", c.Output, err))
	}
	return journal, err
}

// noneLeft is an error if a run to the output has not ended, and is not to be
// gone on with.
func (c *bulkCommand) noneLeft() error {
	name, err := c.journalName()
	if _, statErr := os.Stat(name); c.toStdout() || c.Resume || c.Overwrite || err != nil || statErr != nil {
		return err
	}
	left, err := bulk.OpenJournal(name, nil)
	if errors.Is(err, bulk.ErrJournalInUse) {
		return usage(fmt.Errorf("--output %s: another run writes it", c.Output))
	}
	if err == nil {
		_ = left.Close()
	}
	return usage(fmt.Errorf("--output %s: a run that did not end has left %s: go on with it with --resume, or begin anew with --overwrite", c.Output, name))
}

// endJournal removes the journal of a run that did all its work, or cannot do
// it. Of one that did not it says how many rows are left, and how to go on.
func (c *bulkCommand) endJournal(run bulkRun, err error, written int64) error {
	switch {
	case run.journal == nil && err == nil:
		return nil
	case run.journal == nil:
		return fmt.Errorf("%w; rows written: %d", err, written)
	case err == nil:
		return run.journal.Remove()
	}
	settled, total := run.journal.Settled(), run.input.total()
	if run.input.unreadable() || total.exact && settled >= total.rows && run.output.failed() == nil {
		err = fmt.Errorf("%w; rows written: %d", err, written)
		if removeErr := run.journal.Remove(); removeErr != nil {
			err = fmt.Errorf("%w; %w", err, removeErr)
		}
		return err
	}
	if closeErr := run.journal.Close(); closeErr != nil && !errors.Is(err, closeErr) {
		err = fmt.Errorf("%w; %w", err, closeErr)
	}
	return fmt.Errorf("%w; %s; go on with: %s", err, left(total, settled, c.unit()), goOnWith(os.Args[1:]))
}

// left says how many have no final result yet.
func left(total listTotal, settled int64, unit string) string {
	count := max(0, total.rows-settled)
	text := counted(count, unit) + " are left"
	if count == 1 {
		text = counted(count, unit) + " is left"
	}
	if total.exact {
		return text
	}
	return "about " + text
}

// canJournal says why a run cannot be gone on with.
func (c *bulkCommand) canJournal(in *listInput) error {
	if c.toStdout() {
		return errors.New("what went to standard output cannot be gone on with: name a file with --output, for this run and the next")
	}
	if info, err := os.Stat(string(c.Output)); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the output %s is no regular file", c.Output)
	}
	if info, err := in.file.Stat(); c.Input == stdio || err != nil || !info.Mode().IsRegular() {
		return errors.New("a list that is no file cannot be read again: save it to a file first")
	}
	return nil
}

// resumeError says what to do when a journal cannot be used.
func (c *bulkCommand) resumeError(name string, err error) error {
	var changed *bulk.JournalChangedError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return usage(fmt.Errorf("--resume: there is no %s: the run to %s has ended, or was not begun; leave --resume out", name, c.Output))
	case errors.Is(err, bulk.ErrJournalInUse):
		return usage(fmt.Errorf("--resume: another run writes %s", c.Output))
	case errors.As(err, &changed) && changed.Condition == theList:
		return usage(fmt.Errorf("--resume: %s has changed since the run was begun: write --overwrite in place of --resume to begin anew", c.Input))
	case errors.As(err, &changed):
		return usage(fmt.Errorf("--resume: the run was begun with %s %s, and this is %s: give the same, or write --overwrite in place of --resume to begin anew",
			changed.Condition, orNothing(changed.Then), orNothing(changed.Now)))
	case errors.Is(err, bulk.ErrJournalVersion):
		return usage(fmt.Errorf("--resume: %w; write --overwrite in place of --resume to begin anew", err))
	}
	return fmt.Errorf("--resume: %w", err)
}

func orNothing(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// goOnWith is the command that goes on with a run.
func goOnWith(args []string) string {
	words := []string{"rcpt"}
	for _, arg := range args {
		if arg != "--overwrite" && !strings.HasPrefix(arg, "--overwrite=") && arg != "--resume" {
			words = append(words, quoted(withoutPassword.ReplaceAllString(arg, "${1}PASSWORD@")))
		}
	}
	end := slices.Index(words, "--")
	if end < 0 {
		end = len(words)
	}
	return strings.Join(slices.Insert(words, end, "--resume"), " ")
}

var (
	// withoutPassword finds the password in the URL of a proxy.
	withoutPassword = regexp.MustCompile(`(://[^/@:]*:)[^/]*@`)
	plainWord       = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./~-]+$`)
)

// quoted is a word as a POSIX shell takes it.
func quoted(word string) string {
	if plainWord.MatchString(word) && !strings.HasPrefix(word, "~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
