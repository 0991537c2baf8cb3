package suite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine says what the figures were measured on.
func machine() string {
	return fmt.Sprintf("%s, %d processors, Linux %s, %s", processor(), runtime.NumCPU(), kernel(), runtime.Version())
}

func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // an empty name is said below
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unnamed processor, " + runtime.GOARCH
}

func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "of unknown release"
	}
	return strings.TrimSpace(string(release))
}

// commit is the short name of the commit, with "-dirty" behind it when files
// differ from it.
func commit(ctx context.Context) (string, error) {
	return output(exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude", "*"))
}

// peers are the modules of the peers with their versions.
func peers(ctx context.Context) (string, error) {
	args := []string{"list", "-m"}
	for _, t := range tools() {
		if t.module != "" {
			args = append(args, t.module)
		}
	}
	listed, err := output(exec.CommandContext(ctx, "go", args...))
	return strings.ReplaceAll(listed, "\n", ", "), err
}

func output(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := runQuietly(cmd)
	return strings.TrimSpace(out.String()), err
}

// runQuietly runs a command and shows what it said only when it fails.
func runQuietly(cmd *exec.Cmd) error {
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
