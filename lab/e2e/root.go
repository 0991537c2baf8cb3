//go:build e2e && linux

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Numbers of users, and of their groups, in testdata/common/etc/passwd.
const (
	uidPostfix  = 203
	uidPostgrey = 205
	uidExim     = 206
	uidAlice    = 1000
)

// root is the file system that a server sees as /: its unpacked packages, with
// a writable layer in memory on top.
type root struct {
	name string
	dir  string
	logs string // folder for what its servers print
}

// newRoot mounts the root called name from the unpacked folders, uppermost
// first, and lays the files of testdata/common and testdata/name over it.
func newRoot(w *world, name string, folders ...string) (*root, error) {
	at := filepath.Join(w.dir, "roots", name)
	r := &root{name: name, dir: filepath.Join(at, "merged"), logs: filepath.Join(w.dir, "logs")}
	for _, dir := range []string{"merged", "upper", "work"} {
		if err := os.MkdirAll(filepath.Join(at, dir), 0o755); err != nil {
			return nil, err
		}
	}
	lower := ""
	for _, folder := range folders {
		lower += ":" + filepath.Join(w.dir, "packages", folder)
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work", lower[1:], at, at)
	if err := mount("overlay", r.dir, "overlay", 0, options); err != nil {
		return nil, err
	}
	if err := r.furnish(); err != nil {
		return nil, fmt.Errorf("root of %s: %w", name, err)
	}
	for _, files := range []string{"common", name} {
		if err := r.lay(filepath.Join("testdata", files)); err != nil {
			return nil, fmt.Errorf("root of %s: %w", name, err)
		}
	}
	return r, nil
}

// furnish adds what every program expects of a root: folders to write to, /proc
// and devices. There is no /dev/log, so that nothing from in here reaches the
// machine's log.
func (r *root) furnish() error {
	const forAll = 0o777 | fs.ModeSticky
	for dir, mode := range map[string]fs.FileMode{
		"dev": 0o755, "proc": 0o755, "run": 0o755, "var/run": 0o755,
		"var/log": 0o755, "home/alice": 0o755, "home/bob": 0o755,
		"tmp": forAll, "var/tmp": forAll, "var/mail": forAll,
	} {
		if err := os.MkdirAll(r.path(dir), 0o755); err != nil {
			return err
		}
		if err := os.Chmod(r.path(dir), mode); err != nil {
			return err
		}
	}
	for _, device := range []string{"null", "zero", "random", "urandom"} {
		if err := os.WriteFile(r.path("dev/"+device), nil, 0o666); err != nil {
			return err
		}
		if err := mount("/dev/"+device, r.path("dev/"+device), "", syscall.MS_BIND, ""); err != nil {
			return err
		}
	}
	return mount("proc", r.path("proc"), "proc", 0, "")
}

// lay copies the files below dir to the same places in the root, readable for
// all and owned by root, as servers want it.
func (r *root) lay(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(r.path(name), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(r.path(name), data, 0o644)
	})
}

func (r *root) path(name string) string { return filepath.Join(r.dir, name) }

// command prepares a program of the root; path is absolute within it.
func (r *root) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir, Setpgid: true}
	return cmd
}

// run runs a program of the root to its end.
func (r *root) run(path string, args ...string) error {
	out, err := r.command(path, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s in %s: %w: %s", path, r.name, err, out)
	}
	return nil
}

// start starts the server called name, which stays in the foreground. It ends
// with the world: see enterWorld.
func (r *root) start(name, path string, args ...string) error {
	output, err := os.Create(filepath.Join(r.logs, name+".log"))
	if err != nil {
		return err
	}
	defer output.Close()
	cmd := r.command(path, args...)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	go cmd.Wait() // a server that gives up must not stay as a zombie; its log says why
	return nil
}

// makeCertificate makes the self-signed certificate that most mail hosts
// present.
func (r *root) makeCertificate() error {
	err := r.run("/usr/bin/openssl", "req", "-x509", "-subj", "/CN=mx.example", "-days", "2",
		"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
		"-keyout", "/etc/ssl/mx.key", "-out", "/etc/ssl/mx.pem")
	if err != nil {
		return err
	}
	return os.Chmod(r.path("etc/ssl/mx.key"), 0o644) // Exim reads it as its own user
}
