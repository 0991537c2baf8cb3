//go:build e2e && linux

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// What the process that makes the world tells the process inside it, through
// the environment.
const (
	envWorld    = "RCPT_E2E_WORLD"    // an empty folder to build the world in
	envArchives = "RCPT_E2E_ARCHIVES" // the folder with the downloaded packages
	envRcpt     = "RCPT_E2E_RCPT"     // the rcpt binary
)

// The namespaces that a world has to itself.
const namespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC |
	syscall.CLONE_NEWUTS

// cannotRun says what the suite lacks on this machine. That is no failure.
type cannotRun struct{ why string }

func (e cannotRun) Error() string { return e.why }

// enterWorld runs this test binary once more in namespaces of its own: a
// network that is nothing but a loopback device, mounts that nobody else sees,
// and a process table that the kernel clears when the inner process ends,
// however it ends.
func enterWorld() (exitCode int, err error) {
	if err := requirements(); err != nil {
		return 0, err
	}
	archives, err := fetch()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "rcpt-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	binary, world := filepath.Join(dir, "rcpt"), filepath.Join(dir, "world")
	if err := os.Mkdir(world, 0o755); err != nil {
		return 0, err
	}
	build := exec.Command("go", "build", "-o", binary, "./cmd/rcpt")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build rcpt: %w\n%s", err, out)
	}
	return runInside(envWorld+"="+world, envArchives+"="+archives, envRcpt+"="+binary)
}

func requirements() error {
	if os.Geteuid() != 0 {
		return cannotRun{"needs root"}
	}
	for _, tool := range []string{"apt-get", "dpkg-deb", "tar", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			return cannotRun{"needs " + tool + " (Debian, or a relative of it)"}
		}
	}
	probe := exec.Command("/bin/true")
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	if err := probe.Run(); err != nil {
		return cannotRun{"may not make namespaces here: " + err.Error()}
	}
	return nil
}

// fetch returns the folder of the downloaded packages, which later runs use
// again.
func fetch() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	archives := filepath.Join(cache, "rcpt-e2e")
	if download(archives) == nil {
		return archives, nil
	}
	// The machine's package lists may be missing or old. Whether this helped,
	// the second try tells.
	_ = exec.Command("apt-get", "--quiet", "update").Run()
	if err := download(archives); err != nil {
		return "", cannotRun{"packages not reachable: " + err.Error()}
	}
	return archives, nil
}

// casesAtOnce is more than there are processors, because most cases wait for a
// server most of the time.
const casesAtOnce = "-test.parallel=12"

func runInside(env ...string) (exitCode int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	runtime.LockOSThread() // Pdeathsig fires when the thread that started the process ends
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", append(os.Args[1:], casesAtOnce)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
