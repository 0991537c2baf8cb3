//go:build unix

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list/file"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestBulkResume: while a run writes an output no other run does; an
// interrupted run is resumed by the same command only.
func TestBulkResume(t *testing.T) {
	t.Parallel()
	settings := startWorld(t)
	folder := t.TempDir()
	list, output := filepath.Join(folder, "my list.csv"), filepath.Join(folder, "checked.csv")
	check(t, os.WriteFile(list, []byte("email,n\nwho@mute.example,1\nalice@acme.example,2\nghost@acme.example,3\n"), 0o600))
	command := func(more ...string) []string {
		return append([]string{"bulk", list, "-o", output, "--no-progress", "--timeout", "1h"}, more...)
	}
	expect := func(wantCode int, want string, args ...string) {
		t.Helper()
		code, _, stderr := start(t, settings, args...).wait()
		if code != wantCode || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, want %d and %q in\n%s", args, code, wantCode, want, stderr)
		}
	}

	p := start(t, settings, command("--overwrite")...)
	journal := output + ".rcpt-journal"
	testkit.Eventually(t, "two rows are settled", func() bool {
		info, err := os.Stat(journal)
		return err == nil && info.Size() > 0 && len(settledIn(t, journal)) == 2
	})
	for _, more := range []string{"--resume", "--overwrite", "--no-progress"} {
		expect(exitUsage, "another run writes "+map[bool]string{true: output, false: "it"}[more == "--resume"], command(more)...)
	}
	check(t, p.command.Process.Signal(syscall.SIGHUP))
	p.await(p.stderr, "finishing what is being asked; interrupt again to stop at once")
	code, _, stderr := p.end(syscall.SIGTERM)
	again := fmt.Sprintf("rcpt bulk '%s' -o %s --no-progress --timeout 1h --resume", list, output)
	if code != exitFailed || !strings.HasSuffix(stderr, "\nrcpt: interrupted; 1 row is left; to continue: "+again+"\n") {
		t.Errorf("exit code %d, standard error:\n%s", code, stderr)
	}

	expect(exitUsage, "an earlier run did not end and left "+journal+": continue it with --resume, or start again with --overwrite", command()...)
	expect(exitUsage, "--resume: the run started with --level smtp, not dns: give the same value, or replace --resume with --overwrite to start again",
		command("--resume", "--level", "dns")...)
	expect(exitUsage, `the run started with --column "", not email`, command("--resume", "--column", "email")...)
	expect(exitUsage, `the run started with --dedupe false, not canonical`, command("--resume", "--dedupe", "canonical")...)
	octets, err := os.ReadFile(list)
	check(t, err)
	check(t, os.WriteFile(list, append(octets, "more@acme.example,4\n"...), 0o600))
	expect(exitUsage, "--resume: "+list+" has changed since the run started", command("--resume")...)
	check(t, os.WriteFile(list, octets, 0o600))

	torn, err := os.OpenFile(journal, os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	_, err = torn.WriteString("\x00\x00\x01\x00half a record")
	check(t, err)
	check(t, torn.Close())
	check(t, os.Remove(output))
	expect(exitDone, "settled by the run before: 2", "bulk", list, "-o", output, "--timeout", "1s", "--retry-window", "0s", "--resume")
	text, err := os.ReadFile(output)
	check(t, err)
	for i, want := range []string{"email,n,rcpt_result,", "who@mute.example,1,unknown,connection_timeout,", "alice@acme.example,2,deliverable,", "ghost@acme.example,3,undeliverable,"} {
		if rows := strings.Split(string(text), "\n"); !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %q, want %q", rows[i], want)
		}
	}
	if left, err := filepath.Glob(folder + "/*"); err != nil || len(left) != 2 {
		t.Errorf("left behind: %q", left)
	}
}

// TestBulkResumePacked: a run to a compressed file or a spreadsheet that was
// killed is resumed from its journal, and the file is written again.
func TestBulkResumePacked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"checked.csv.gz", "checked.csv.zst", "checked.xlsx"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resumePacked(t, name)
		})
	}
}

func resumePacked(t *testing.T, name string) {
	t.Helper()
	settings := startWorld(t)
	folder := t.TempDir()
	list, output := filepath.Join(folder, "list.csv"), filepath.Join(folder, name)
	check(t, os.WriteFile(list, []byte("email,n\nalice@acme.example,1\nwho@mute.example,2\nghost@acme.example,3\n"), 0o600))
	p := start(t, settings, "bulk", list, "-o", output, "--no-progress", "--timeout", "1h")
	testkit.Eventually(t, "two rows are settled", func() bool {
		info, err := os.Stat(output + ".rcpt-journal")
		return err == nil && info.Size() > 0 && len(settledIn(t, output+".rcpt-journal")) == 2
	})
	p.end(syscall.SIGKILL)
	code, _, stderr := start(t, settings, "bulk", list, "-o", output, "--timeout", "1s", "--retry-window", "0s", "--resume").wait()
	if code != exitDone || !strings.Contains(stderr, "settled by the run before: 2") {
		t.Fatalf("%s: exit code %d\n%s", name, code, stderr)
	}
	_, rows, _ := start(t, settings, "bulk", output, "--level", "syntax", "--retry-unknown", output).wait()
	for i, want := range []string{"email,n,rcpt_result,", "alice@acme.example,1,deliverable,", "who@mute.example,2,unknown,", "ghost@acme.example,3,undeliverable,"} {
		if lines := strings.Split(rows, "\n"); len(lines) != 5 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("%s: rows %q, want %q", name, lines, want)
		}
	}
}

// TestBulkResumeSince: a run that is resumed takes the results that the run
// before took, although they are too old by now.
func TestBulkResumeSince(t *testing.T) {
	folder := t.TempDir()
	list, old, journal := filepath.Join(folder, "list.csv"), filepath.Join(folder, "old.csv"), filepath.Join(folder, "journal")
	check(t, os.WriteFile(list, []byte("email\nghost@acme.example\n"), 0o600))
	check(t, os.WriteFile(old, []byte("email,rcpt_result,rcpt_checked_at\nghost@acme.example,deliverable,2026-02-02T00:00:00Z\n"), 0o600))
	at := func(day int) map[string]string {
		return map[string]string{oldestCondition: time.Date(2026, 2, day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339), "--level": "smtp"}
	}
	begun, err := bulk.CreateJournal(journal, at(1))
	check(t, err)
	check(t, begun.Close())

	resumed := func(conditions map[string]string) (taken int64, err error) {
		earlier, err := file.OpenSince(old, nil, time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), file.Ages{})
		check(t, err)
		in, err := file.OpenInput(file.InputOptions{Name: list, Earlier: earlier})
		check(t, err)
		defer in.Close()
		opened, err := openOldJournal(journal, conditions, in)
		if err != nil {
			return 0, err
		}
		defer opened.Close()
		_, err = in.Next(t.Context())
		return in.Taken(), err
	}
	if taken, err := resumed(at(3)); err != nil || taken != 1 {
		t.Errorf("%d results taken, %v", taken, err)
	}
	changed := at(3)
	changed["--level"] = "dns"
	var mismatch *bulk.JournalChangedError
	if _, err := resumed(changed); !errors.As(err, &mismatch) || mismatch.Condition != "--level" {
		t.Errorf("another level: %v", err)
	}
}

// TestResumeCommand: the command is the one that was typed, quoted for a shell,
// without a password.
func TestResumeCommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"bulk|list.csv|-o|out.csv", "rcpt bulk list.csv -o out.csv --resume"},
		{"bulk|my list's.csv|-o|out.csv|--overwrite", `rcpt bulk 'my list'\''s.csv' -o out.csv --resume`},
		{"bulk|--resume|--|-list.csv", "rcpt bulk --resume -- -list.csv"},
		{"bulk|list.csv|--proxy=socks5://me:hunter2@10.0.0.1:1080", "rcpt bulk list.csv --proxy=socks5://me:PASSWORD@10.0.0.1:1080 --resume"},
		{"bulk|~/list.csv|--overwrite=true||-o|$x", `rcpt bulk '~/list.csv' '' -o '$x' --resume`},
	} {
		if got := resumeCommand(strings.Split(c.args, "|")); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestVerifyHungUp: when the terminal is closed, verify ends as after an
// interrupt, with an exit code and a QUIT instead of a signal.
func TestVerifyHungUp(t *testing.T) {
	t.Parallel()
	p := start(t, startWorld(t), "verify", "alice@acme.example", "who@mute.example", "--timeout", "1h", "--json")
	p.await(p.stdout, `"email":"alice@acme\.example"`)
	code, stdout, stderr := p.end(syscall.SIGHUP)
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "rcpt: interrupted") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

// TestInterruptedRows: a row with two addresses is in the output of an
// interrupted run with its own two results, or not at all.
func TestInterruptedRows(t *testing.T) {
	t.Parallel()
	settings := startWorld(t)
	folder := t.TempDir()
	list, output := filepath.Join(folder, "list.csv"), filepath.Join(folder, "checked.csv")
	rows := []string{"email,email2", "alice@acme.example,who@mute.example", "alice@acme.example,ghost@acme.example",
		"me@mute.example,alice@acme.example", "ghost@acme.example,alice@acme.example"}
	check(t, os.WriteFile(list, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
	command := []string{"bulk", list, "-o", output, "--column", "email", "--column", "email2", "--timeout", "1h"}
	want := func(wanted ...string) {
		t.Helper()
		text, err := os.ReadFile(output)
		check(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		reader := csv.NewReader(strings.NewReader(string(text)))
		cells, err := reader.ReadAll()
		if err != nil || len(lines) != len(wanted)+1 {
			t.Fatalf("%v, %d rows, want %d:\n%s", err, len(lines)-1, len(wanted), text)
		}
		first, second := slices.Index(cells[0], "rcpt_result (email)"), slices.Index(cells[0], "rcpt_result (email2)")
		for i, row := range cells[1:] {
			if got := strings.Join([]string{row[0], row[1], row[first], row[second]}, ","); got != wanted[i] {
				t.Errorf("row %d is %s, want %s", i+1, got, wanted[i])
			}
		}
	}

	p := start(t, settings, command...)
	journal := output + ".rcpt-journal"
	testkit.Eventually(t, "six addresses are settled", func() bool {
		info, err := os.Stat(journal)
		return err == nil && info.Size() > 0 && len(settledIn(t, journal)) == 6
	})
	if code, _, stderr := p.end(os.Interrupt); code != exitFailed || !strings.Contains(stderr, "2 addresses are left") {
		t.Errorf("exit code %d, standard error:\n%s", code, stderr)
	}
	done := []string{rows[2] + ",deliverable,undeliverable", rows[4] + ",undeliverable,deliverable"}
	want(done...)

	p = start(t, settings, append(command[:len(command)-1], "1s", "--retry-window", "0s", "--resume")...)
	if code, _, stderr := p.wait(); code != exitDone {
		t.Errorf("exit code %d, standard error:\n%s", code, stderr)
	}
	want(rows[1]+",deliverable,unknown", done[0], rows[3]+",unknown,deliverable", done[1])
}
