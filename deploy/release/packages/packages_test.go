// Package packages tests what is in the Debian, RPM and Alpine packages of
// bin/release. It reads them without the programs of these systems.
// "make package-test" makes them and runs it. Otherwise the tests are skipped:
// packages of another commit may be there.
package packages

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// contents is what a package has.
type contents struct {
	name, version, arch string
	files               map[string]file   // by absolute path, without folders
	scripts             map[string]string // by the moment when they run: a word of moments
}

type file struct {
	mode   fs.FileMode
	owner  string // user:group
	config bool   // a changed one stays when the package is upgraded
	data   []byte
	sha1   string // as the header of the file says, in an Alpine package
}

// The moments of a package's life that have a script.
const (
	afterInstall = "after install"
	beforeRemove = "before remove"
	afterRemove  = "after remove"
)

// format is a kind of package.
type format struct {
	suffix string
	read   func(io.Reader) (contents, error)
	arches map[string]elf.Machine // by the format's name
	zsh    string                 // where zsh looks for completions
}

var formats = []format{
	{".deb", readDeb, map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}, "/usr/share/zsh/vendor-completions/_rcpt"},
	{".rpm", readRPM, map[string]elf.Machine{"x86_64": elf.EM_X86_64, "aarch64": elf.EM_AARCH64}, "/usr/share/zsh/site-functions/_rcpt"},
	{".apk", readAPK, map[string]elf.Machine{"x86_64": elf.EM_X86_64, "aarch64": elf.EM_AARCH64}, "/usr/share/zsh/site-functions/_rcpt"},
}

// modes are those of the files that every package has.
var modes = map[string]fs.FileMode{
	"/usr/bin/rcpt":                                  0o755,
	"/usr/lib/systemd/system/rcpt.service":           0o644,
	"/etc/rcpt/rcpt.env":                             0o600, // it may contain a key
	"/usr/share/man/man1/rcpt.1.gz":                  0o644,
	"/usr/share/bash-completion/completions/rcpt":    0o644,
	"/usr/share/fish/vendor_completions.d/rcpt.fish": 0o644,
	"/usr/share/doc/rcpt/copyright":                  0o644,
	"/usr/share/doc/rcpt/licences.txt":               0o644,
}

// each runs a test for each package of bin/release.
func each(t *testing.T, test func(*testing.T, format, contents)) {
	if os.Getenv("TEST_PACKAGES") == "" {
		t.Skip("SKIPPED: make package-test runs it")
	}
	for _, f := range formats {
		paths, err := filepath.Glob(filepath.Join(root, "bin", "release", "*"+f.suffix))
		check(t, err)
		if len(paths) == 0 {
			t.Skipf("SKIPPED: bin/release has no %s: run make release SNAPSHOT=1", f.suffix)
		}
		if len(paths) != len(f.arches) {
			t.Errorf("bin/release has %q, want one for each of %d architectures", paths, len(f.arches))
		}
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				opened, err := os.Open(path)
				check(t, err)
				defer opened.Close()
				read, err := f.read(opened)
				check(t, err)
				test(t, f, read)
			})
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiles: each package has the same files, of root, with the same modes, and
// nothing else. Settings that were changed survive an upgrade.
func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, f format, c contents) {
		if c.name != "rcpt" || c.version == "" {
			t.Errorf("it is %s %s", c.name, c.version)
		}
		for path, file := range c.files {
			want, known := modes[path]
			if path == f.zsh {
				want, known = 0o644, true
			}
			if !known || file.mode != want || file.owner != "root:root" {
				t.Errorf("%s: %v of %s, want %v of root:root (wanted at all: %v)", path, file.mode, file.owner, want, known)
			}
			if file.config != strings.HasPrefix(path, "/etc/") {
				t.Errorf("%s: is a file of settings: %v", path, file.config)
			}
			if len(file.data) == 0 {
				t.Errorf("%s is empty", path)
			}
		}
		if len(c.files) != len(modes)+1 {
			t.Errorf("%d files, want %d", len(c.files), len(modes)+1)
		}
	})
}

// TestProgram: the binary is for the architecture of the package, and needs no
// library.
func TestProgram(t *testing.T) {
	each(t, func(t *testing.T, f format, c contents) {
		machine, known := f.arches[c.arch]
		if !known {
			t.Errorf("the architecture is %q", c.arch)
		}
		program, err := elf.NewFile(bytes.NewReader(c.files["/usr/bin/rcpt"].data))
		check(t, err)
		if program.Machine != machine {
			t.Errorf("the program is for %v, the package for %s", program.Machine, c.arch)
		}
		if libraries, _ := program.ImportedLibraries(); len(libraries) > 0 {
			t.Errorf("it needs %q", libraries)
		}
		if program.Section(".symtab") != nil {
			t.Error("it is not stripped")
		}
	})
}

// TestTexts: the files are those of the repository. The unit starts the binary
// where the package has it, as a user of its own.
func TestTexts(t *testing.T) {
	each(t, func(t *testing.T, f format, c contents) {
		for path, source := range map[string]string{
			"/etc/rcpt/rcpt.env":               "deploy/systemd/rcpt.env",
			"/usr/share/doc/rcpt/copyright":    "LICENSE",
			"/usr/share/doc/rcpt/licences.txt": "cmd/rcpt/internal/licences/licences.txt",
		} {
			if want, err := os.ReadFile(filepath.Join(root, source)); err != nil || !bytes.Equal(c.files[path].data, want) {
				t.Errorf("%s differs from %s (%v): build the packages again if it was changed", path, source, err)
			}
		}
		unit := strings.Split(string(c.files["/usr/lib/systemd/system/rcpt.service"].data), "\n")
		for _, line := range []string{"ExecStart=/usr/bin/rcpt serve", "EnvironmentFile=-/etc/rcpt/rcpt.env", "DynamicUser=yes", "NoNewPrivileges=yes",
			"StateDirectoryMode=0700", "WantedBy=multi-user.target"} {
			if !slices.Contains(unit, line) {
				t.Errorf("the unit lacks %q", line)
			}
		}
		if page, err := gunzip(c.files["/usr/share/man/man1/rcpt.1.gz"].data); err != nil || !bytes.Contains(page, []byte(".TH")) {
			t.Errorf("the man page: %v", err)
		}
		for path, says := range map[string]string{
			f.zsh: "#compdef rcpt", "/usr/share/bash-completion/completions/rcpt": "complete ", "/usr/share/fish/vendor_completions.d/rcpt.fish": "complete ",
		} {
			if !strings.Contains(string(c.files[path].data), says) {
				t.Errorf("%s lacks %q", path, says)
			}
		}
	})
}

// TestScripts: each package runs the scripts of deploy/packages, at their
// moments.
func TestScripts(t *testing.T) {
	each(t, func(t *testing.T, _ format, c contents) {
		for moment, source := range map[string]string{afterInstall: "postinstall", beforeRemove: "preremove", afterRemove: "postremove"} {
			want, err := os.ReadFile(filepath.Join(root, "deploy", "packages", source))
			check(t, err)
			if strings.TrimSpace(c.scripts[moment]) != strings.TrimSpace(string(want)) {
				t.Errorf("%s it runs %q, want that of deploy/packages/%s", moment, c.scripts[moment], source)
			}
		}
		if len(c.scripts) != 3 {
			t.Errorf("%d scripts", len(c.scripts))
		}
	})
}

func gunzip(data []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
