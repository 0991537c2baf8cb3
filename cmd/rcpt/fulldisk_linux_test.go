package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// twoMegabytes mounts a disk of two megabytes in memory.
func twoMegabytes(t *testing.T) string { return smallDisk(t, 2) }

// smallDisk mounts a disk of so many megabytes in memory.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	folder := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to mount a small disk")
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skip("SKIPPED: no disk can be mounted: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// TestServeOnFullDisk: while the disk is full requests are answered and the log
// says why once; with room again everything is stored.
func TestServeOnFullDisk(t *testing.T) {
	t.Parallel()
	folder := twoMegabytes(t)
	environment := append(startWorld(t), "RCPT_DATA="+folder)
	commands := keysOf{environment}
	free, limited := commands.mustCreate(t), commands.mustCreate(t, "--quota", "1000")
	n := startNode(t, environment)
	n.mustVerify(free.Key, "alice@acme.example")
	filler := filepath.Join(folder, "filler")
	_ = os.WriteFile(filler, make([]byte, 4<<20), 0o600) // as much as there is room for

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients asker
	var all sync.WaitGroup
	for client := range 2 {
		all.Go(func() {
			// So few that their results fit on the disk.
			address := func(i int) string { return fmt.Sprintf("box%d.%d@box.example", client, i%200) }
			clients.ask(ctx, n, free.Key, address, func(a reply) bool {
				t.Errorf("a client gets %d %s", a.status, a.body)
				return false
			})
		})
	}
	says := func(what string) int { return strings.Count(n.log.String(), what) }
	testkit.Eventually(t, "the log says that the disk is full", func() bool { return says("usage and verdicts cannot be stored") > 0 })
	was := clients.answered.Load()
	testkit.Eventually(t, "requests are answered on a full disk", func() bool { return clients.answered.Load() > was+100 })
	var refused time.Time
	testkit.Eventually(t, "a key with a quota is refused, for some seconds", func() bool {
		a := n.mustVerify(limited.Key, "alice@acme.example")
		if a.status != http.StatusOK && (a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "") {
			t.Errorf("a client with a quota gets %d %s", a.status, a.body)
		}
		if a.status == http.StatusServiceUnavailable && refused.IsZero() {
			refused = time.Now()
		}
		return !refused.IsZero() && time.Since(refused) > 4*time.Second
	})
	if _, err := commands.create(t.Context(), "--name", strings.Repeat("n", 60)); err == nil {
		t.Error("a key is acknowledged on a full disk")
	} else if !strings.Contains(err.Error(), "full") {
		t.Errorf("the error does not say what is wrong: %v", err)
	}

	check(t, os.Remove(filler))
	testkit.Eventually(t, "a key with a quota is served again", func() bool { return n.mustVerify(limited.Key, "alice@acme.example").status == http.StatusOK })
	after := commands.mustCreate(t)
	testkit.Eventually(t, "a new key is served", func() bool { return n.mustVerify(after.Key, "alice@acme.example").status == http.StatusOK })
	cancel()
	all.Wait()
	if code := n.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	const few = 2 // but for what a busy machine does not do in time
	if says("usage and verdicts cannot be stored") > few || says("quotas cannot be reserved") > few || says("\n")-says("context deadline exceeded") > 4*few || says("full, make room on it") == 0 {
		t.Errorf("want a few lines that say what is wrong:\n%s", n.log.String())
	}
	t.Logf("%d answers, %d lines in the log", clients.answered.Load(), says("\n"))
	storetest.Sound(t, filepath.Join(folder, "rcpt.db"))
	s, err := store.Open(t.Context(), store.Options{DataDir: folder})
	check(t, err)
	defer s.Close()
	if counted, answered := usesOf(t, s, free.ID), clients.answered.Load()+1; counted < answered || counted > answered+2 {
		t.Errorf("%d uses are stored, %d were answered", counted, answered)
	}
	if used, err := s.QuotaUsed(t.Context(), limited.ID, time.Now()); err != nil || used == 0 {
		t.Errorf("%d units are used: %v", used, err)
	}
}

// TestBulkOnFullDisk: if the disk of the output or of the journal is full, the
// run ends with an error that says so; with room again it resumes with all
// settled rows.
func TestBulkOnFullDisk(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	list := newCrashList(rows, []string{"acme.example"})
	for i := range list.want {
		list.want[i] = "unknown" // no mail host is asked
	}
	settings := startWorld(t)
	for _, full := range []string{"output", "journal"} {
		t.Run(full, func(t *testing.T) {
			disk, folder := twoMegabytes(t), t.TempDir()
			input, output := filepath.Join(folder, "list.csv"), filepath.Join(folder, "checked.csv")
			list.write(t, input)
			args := []string{"bulk", input, "-o", output, "--level", "syntax", "--no-progress"}
			if full == "output" {
				output = filepath.Join(disk, "checked.csv")
				args[3] = output
			} else {
				args = append(args, "--state", disk)
			}
			code, _, stderr := start(t, settings, args...).wait()
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			last := lines[len(lines)-1]
			if code != exitFailed || !strings.HasPrefix(last, "rcpt: cannot write ") || strings.Count(last, "cannot write the journal") > 1 || !strings.Contains(last, "no space left on device") ||
				!strings.Contains(last, " rows are left; to continue: rcpt bulk ") {
				t.Fatalf("exit code %d, standard error:\n%s", code, stderr)
			}
			list.compare(t, output, 0)

			check(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
			code, _, stderr = start(t, settings, append(args, "--resume")...).wait()
			if code != exitDone || !strings.Contains(stderr, "settled by the run before: ") {
				t.Fatalf("exit code %d, standard error:\n%s", code, stderr)
			}
			list.compare(t, output, rows)
			t.Log(last)
		})
	}
}

// usesOf counts the stored uses of a key.
func usesOf(t *testing.T, s *store.Store, key string) (count int64) {
	t.Helper()
	rows, err := s.Usage(t.Context(), store.UsageQuery{Key: key})
	check(t, err)
	for _, row := range rows {
		count += row.Count
	}
	return count
}
