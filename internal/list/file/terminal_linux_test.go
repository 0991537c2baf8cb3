package file

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
)

// TestTerminalGetsNoEscapes writes a row with escape sequences to a terminal.
func TestTerminalGetsNoEscapes(t *testing.T) {
	screen, terminal := openTerminal(t)
	path := filepath.Join(t.TempDir(), "list.csv")
	if err := os.WriteFile(path, []byte("email,note\nu@a.example,\x1b]0;title\x07\x1b[2J\xc2\x9bend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := OpenInput(InputOptions{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	writer, err := list.NewWriter(in.Reader, list.Output{Format: list.CSV})
	if err != nil {
		t.Fatal(err)
	}
	out, err := OutputTo(terminal, in, OutputOptions{Writer: writer})
	if err != nil {
		t.Fatal(err)
	}
	item, err := in.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(t.Context(), item, rcpt.Result{Email: item.Email, Verdict: rcpt.VerdictUnknown}); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Close(); err != nil {
		t.Fatal(err)
	}
	shown := make([]byte, 4096)
	var all string
	for !strings.Contains(all, "end") {
		n, err := screen.Read(shown)
		if err != nil {
			t.Fatal(err, all)
		}
		all += string(shown[:n])
	}
	if strings.ContainsAny(all, "\x1b\x07\u009b") || !strings.Contains(all, "title") {
		t.Errorf("the terminal got %q", all)
	}
}

// openTerminal opens a pseudo-terminal: what is written to the second file can
// be read from the first.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return screen, terminal
}
