//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// wanted lists the packages, one line for each call of apt-get: as installed
// packages, the mail servers would conflict.
func wanted() [][]string {
	return [][]string{
		{"nsd", "unbound", "iproute2", "openssl", "dash", "coreutils", "microsocks"},
		{"postfix", "postgrey", "grep", "sed", "findutils", "diffutils"},
		{"exim4-daemon-light"},
		{"opensmtpd"},
	}
}

// download fetches the wanted packages and all that they depend on into dir. It
// installs nothing, and pretends that nothing is installed, so that the outcome
// does not depend on what is.
func download(dir string) error {
	for _, sub := range []string{"partial", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	nothing := filepath.Join(dir, "state", "status")
	if err := os.WriteFile(nothing, nil, 0o644); err != nil {
		return err
	}
	apt := func(args ...string) error {
		args = append([]string{
			"--quiet", "--yes", "--download-only", "--no-install-recommends",
			"-o", "Dir::State::status=" + nothing,
			"-o", "Dir::State::extended_states=" + nothing + ".extended",
			"-o", "Dir::Cache::archives=" + dir,
			"-o", "APT::Sandbox::User=root",
			"-o", "Acquire::http::Timeout=15",
		}, args...)
		out, err := exec.Command("apt-get", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("apt-get: %w: %s", err, lastLine(out))
		}
		return nil
	}
	for _, packages := range wanted() {
		if err := apt(append([]string{"install"}, packages...)...); err != nil {
			return err
		}
	}
	return apt("autoclean") // superseded versions, which unpack would unpack too
}

// unpack extracts every package in archives below dir: what belongs to one mail
// server into a folder named for it, the rest, libraries above all, into the
// folder base.
func unpack(archives, dir string) error {
	for _, folder := range []string{"base", "postfix", "exim", "opensmtpd"} {
		if err := mergeUsr(filepath.Join(dir, folder)); err != nil {
			return err
		}
	}
	packages, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return err
	}
	for _, file := range packages {
		if err := extract(file, filepath.Join(dir, folderOf(filepath.Base(file)))); err != nil {
			return err
		}
	}
	return nil
}

// folderOf tells where the package in the file called
// name_version_architecture.deb goes.
func folderOf(file string) string {
	name, _, _ := strings.Cut(file, "_")
	switch {
	case name == "postfix", name == "opensmtpd":
		return name
	case strings.HasPrefix(name, "exim4"):
		return "exim"
	}
	return "base"
}

// mergeUsr makes /bin, /sbin, /lib and /lib64 links into /usr, as Debian has
// them since 12, whatever layout the packages use.
func mergeUsr(dir string) error {
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.MkdirAll(filepath.Join(dir, "usr", name), 0o755); err != nil {
			return err
		}
		if err := os.Symlink("usr/"+name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// extract does what dpkg-deb --extract does, but keeps the links that mergeUsr
// made.
func extract(file, dir string) error {
	script := `dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"`
	out, err := exec.Command("/bin/sh", "-ec", script, "sh", file, dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("unpack %s: %w: %s", filepath.Base(file), err, lastLine(out))
	}
	return nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
