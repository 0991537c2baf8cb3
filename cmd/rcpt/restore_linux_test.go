package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
)

// TestRestoredByRoot: if root has put a database into the folder of the
// service's user, the error says how to give it to that user.
func TestRestoredByRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to run a command as another user")
	}
	const nobody = 65534
	folder, err := os.MkdirTemp("", "restored-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	check(t, openState(t, store.Options{DataDir: folder}).Close())
	rcpt, err := exec.LookPath("rcpt")
	check(t, err)
	program := filepath.Join(folder, "rcpt")
	check(t, exec.Command("cp", rcpt, program).Run())
	check(t, os.Chmod(program, 0o755))
	for _, name := range []string{".", "rcpt.lock"} {
		check(t, os.Chown(filepath.Join(folder, name), nobody, nobody))
	}
	command := exec.CommandContext(t.Context(), program, "keys", "list", "--data", folder)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "chown --reference="+folder+" "+filepath.Join(folder, "rcpt.db")) {
		t.Errorf("%v: %s", err, out)
	}
}
