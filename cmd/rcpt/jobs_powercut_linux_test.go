package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// system runs a program of the system.
func system(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// disk is a file system in a file.
type disk struct {
	t             *testing.T
	image, folder string
	loop          string // the name of its device
}

// mountDisk mounts an image.
func mountDisk(t *testing.T, image string) *disk {
	t.Helper()
	d := &disk{t: t, image: image, folder: t.TempDir()}
	if out, err := exec.Command("mount", "-o", "loop", image, d.folder).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", d.folder).Run() })
	d.loop = filepath.Base(system(t, "findmnt", "-n", "-o", "SOURCE", d.folder))
	return d
}

// written is how much was written to the disk so far, with what is on its way.
func (d *disk) written() string {
	text, err := os.ReadFile("/sys/block/" + d.loop + "/stat")
	check(d.t, err)
	fields := strings.Fields(string(text))
	return fmt.Sprint(fields[4:9]) // writes, and what is in flight
}

// cut copies the disk as a power cut would leave it at this moment: nobody
// writes, and what the kernel holds back is lost.
func (d *disk) cut(n *node) (copied string) {
	d.t.Helper()
	copied = filepath.Join(d.t.TempDir(), "image")
	check(d.t, n.command.Process.Signal(syscall.SIGSTOP))
	defer func() { _ = n.command.Process.Signal(syscall.SIGCONT) }()
	testkit.Eventually(d.t, "the disk is copied while nothing is written to it", func() bool {
		before := d.written()
		system(d.t, "cp", "--sparse=always", d.image, copied)
		return before == d.written() && strings.HasSuffix(before, " 0]")
	})
	return copied
}

// TestPowerCut cuts the power at several moments of a list, as far as a
// computer can do that to itself: the disk is copied while the server works,
// without what the kernel has not written yet. A server on each copy has all
// that was acknowledged, and brings the list to its end.
func TestPowerCut(t *testing.T) {
	if os.Getenv("TEST_CRASH") == "" {
		t.Skip("SKIPPED: mounts disks: set TEST_CRASH")
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to mount a disk")
	}
	image := filepath.Join(t.TempDir(), "image")
	check(t, os.WriteFile(image, nil, 0o600))
	check(t, os.Truncate(image, 256<<20))
	system(t, "mkfs.ext4", "-q", "-F", image)
	d := mountDisk(t, image)
	c := newCrashJob(t, 40_000, 10, filepath.Join(d.folder, "data"))
	n := c.start()
	c.mustUpload(n)
	type copied struct {
		image string
		done  int64
	}
	var copies []copied
	const cuts = 6
	for i := range int64(cuts) {
		var done int64
		testkit.Eventually(t, "some are done", func() bool {
			done = n.mustJob(c.key.Key, c.id).Done
			return done >= i*int64(len(c.list.rows))/cuts
		})
		copies = append(copies, copied{d.cut(n), done})
	}
	c.finish(n)
	c.delivered(1)
	n.kill()
	for i, copied := range copies {
		c.afterCut(fmt.Sprint("cut ", i+1), copied.image, copied.done)
	}
}

// afterCut starts a server on a copied disk, on which at least so many
// addresses must be done.
func (c *crashJob) afterCut(what, image string, done int64) {
	c.t.Helper()
	out, err := exec.Command("e2fsck", "-f", "-p", image).CombinedOutput()
	if code := 0; err != nil {
		if ended, ok := err.(*exec.ExitError); ok {
			code = ended.ExitCode()
		}
		if code != 1 { // the journal was replayed
			c.t.Fatalf("%s: e2fsck: %v\n%s", what, err, out)
		}
	}
	c.folder = filepath.Join(mountDisk(c.t, image).folder, "data")
	c.environment = append(c.environment, "RCPT_DATA="+c.folder)
	storetest.Sound(c.t, filepath.Join(c.folder, "rcpt.db"))
	c.settled = c.committed()
	if int64(len(c.settled)) < done {
		c.t.Errorf("%s: %d addresses are done, %d were acknowledged", what, len(c.settled), done)
	}
	c.hooks.mu.Lock()
	c.hooks.ids = map[string]int{}
	c.hooks.mu.Unlock()
	n := c.start()
	c.finish(n)
	c.delivered(1)
	c.notAgain(c.runs)
	n.kill()
	c.t.Logf("%s: %d addresses were acknowledged as done, %d are on the disk", what, done, len(c.settled))
}

// TestSlowSync is TestJobKilled on a disk that takes five milliseconds for each
// sync: strace holds the calls up.
func TestSlowSync(t *testing.T) {
	if os.Getenv("TEST_CRASH") == "" {
		t.Skip("SKIPPED: slow: set TEST_CRASH")
	}
	folder, log := t.TempDir(), filepath.Join(t.TempDir(), "syncs")
	command, err := exec.LookPath("rcpt")
	check(t, err)
	const traced = "fsync,fdatasync"
	hold := []string{"-D", "-f", "--seccomp-bpf", "-qq", "-e", "trace=" + traced, "-e", "signal=none", "-e", "inject=" + traced + ":delay_enter=5000"}
	if out, err := exec.Command("strace", append(hold, "-o", log, command, "version")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: needs strace: %v %s", err, out)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec strace %s -A -o '%s' '%s' \"$@\"\n", strings.Join(hold, " "), log, command)
	check(t, os.WriteFile(filepath.Join(folder, "rcpt"), []byte(script), 0o700))
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	newCrashJob(t, 20_000, 10, t.TempDir()).suffer(killPlan{uploads: 1, works: 4, sendings: 1, inProgress: 3500})
	syncs, err := os.ReadFile(log)
	check(t, err)
	held := strings.Count(string(syncs), "(DELAYED)")
	if held == 0 {
		t.Error("no sync was held up")
	}
	t.Logf("%d syncs were held up for 5 ms", held)
}
