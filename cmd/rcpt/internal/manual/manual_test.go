package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// tools is a command line with everything that a manual shows.
type tools struct {
	Config string `placeholder:"FILE" help:"Settings."`

	Cut struct {
		Depth  int      `group:"Shared" placeholder:"N" help:"How deep."`
		Blade  string   `short:"b" enum:"fine,coarse" default:"fine" placeholder:"BLADE" help:"The blade."`
		Dry    bool     `help:"Cut nothing."`
		Secret bool     `hidden:""`
		Pieces []string `arg:"" help:"What to cut."`
	} `cmd:"" help:"Cut pieces."`
	Box struct {
		Open struct {
			Depth int `group:"Shared" placeholder:"N" help:"How deep."`
		} `cmd:"" help:"Open the box."`
		Close struct {
			Lid string `arg:"" optional:"" help:".hidden files' \\ lid."`
		} `cmd:"" help:"Close the box."`
	} `cmd:"" help:"Boxes."`
	Complete struct{} `cmd:"" hidden:""`
}

func manualOf(t *testing.T) Manual {
	t.Helper()
	parser, err := kong.New(&tools{}, kong.Name("tool"), kong.Description("Does things."))
	if err != nil {
		t.Fatal(err)
	}
	return Manual{
		App:      parser.Model,
		Chapters: []Chapter{{"Work", []string{"cut", "box"}}},
		Examples: map[string][]Example{"cut": {{"In two", "tool cut wood"}}},
		Footer:   "More elsewhere.",
	}
}

func TestHelp(t *testing.T) {
	m := manualOf(t)
	node, rest := m.Find([]string{"cut"})
	if len(rest) > 0 {
		t.Fatal(rest)
	}
	var text strings.Builder
	if err := m.Help(&text, node, 72); err != nil {
		t.Fatal(err)
	}
	want := `Cut pieces.

Usage:
  tool cut PIECES... [flags]

Arguments:
  PIECES                      What to cut.

Flags:
  -b, --blade BLADE           The blade.
      --dry                   Cut nothing.

Shared:
  --depth N                   How deep.

General flags:
  -h, --help                  Show context-sensitive help.
      --config FILE           Settings.

Examples:
  # In two
  $ tool cut wood

More elsewhere.
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}

func TestComplete(t *testing.T) {
	m := manualOf(t)
	for _, c := range []struct {
		words string // separated by blanks
		want  string
	}{
		{"", "cut box"},
		{"c", "cut"},
		{"x", ""},
		{"box ", "open close"},
		{"box c", "close"},
		{"--config c", ""},
		{"--config f cu", "cut"},
		{"cut --", "--blade --dry --depth --help --config"},
		{"cut -", "--blade --dry --depth --help --config"},
		{"cut --d", "--dry --depth"},
		{"cut --blade ", "fine coarse"},
		{"cut --blade = c", "coarse"},
		{"cut --blade =", "fine coarse"},
		{"cut --blade = fine --dr", "--dry"},
		{"cut -b f", "fine"},
		{"cut --blade=f", "--blade=fine"},
		{"cut --nothing=f", ""},
		{"cut --depth ", ""},
		{"cut --dry wood --de", "--depth"},
		{"cut -- --d", ""},
		{"--c", "--config"},
	} {
		var found []string
		for _, candidate := range m.Complete(strings.Split(c.words, " ")) {
			found = append(found, candidate.Word)
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.words, got, c.want)
		}
	}
	if got := m.Complete(nil); len(got) != 2 {
		t.Errorf("without words: %v", got)
	}
}

// TestManPage: the page has each command once, and shared flags once.
func TestManPage(t *testing.T) {
	var text strings.Builder
	page := ManPage{Manual: manualOf(t), Version: "v1", Date: "2026-11-22", Description: []string{"It does."}, ExitStatus: [][2]string{{"0", "Done."}}, SeeAlso: "others(1)"}
	if err := page.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH \"TOOL\" \"1\" \"2026-11-22\" \"tool v1\" \"User Commands\"\n", "\ntool \\- does things\n", ".SS \"tool cut PIECES... [flags]\"\n",
		".SS \"tool box open [flags]\"\n", ".SS \"tool box close [LID] [flags]\"\n", ".B \"\\-b, \\-\\-blade BLADE\"\n", "\n\\&.hidden files\\(aq \\e lid.\n",
		".SS \"Shared\"\n.TP\n.B \"\\-\\-depth N\"\n",
	} {
		if n := strings.Count(text.String(), want); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	for _, not := range []string{"secret", "complete"} {
		if strings.Contains(text.String(), not) {
			t.Errorf("%q is there", not)
		}
	}
	if mandoc, err := exec.LookPath("mandoc"); err == nil {
		command := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "warning")
		command.Stdin = strings.NewReader(text.String())
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestBash completes a line in bash with a program that prints one candidate.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	folder := t.TempDir()
	program := "#!/bin/sh\nprintf '%s\\n' \"$*\" >" + filepath.Join(folder, "asked") + "\nprintf -- '--dry\\tCut nothing.\\n'\n"
	if err := os.WriteFile(filepath.Join(folder, "tool"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	script, err := manualOf(t).Script("bash")
	if err != nil {
		t.Fatal(err)
	}
	script += "\nCOMP_WORDS=(tool cut --d); COMP_CWORD=2; _tool; printf '%s\\n' \"${COMPREPLY[@]}\""
	command := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-c", script)
	command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil || string(out) != "--dry\n" {
		t.Errorf("got %q, %v", out, err)
	}
	if asked, err := os.ReadFile(filepath.Join(folder, "asked")); err != nil || string(asked) != "complete -- cut --d\n" {
		t.Errorf("asked %q, %v", asked, err)
	}
}

func TestScripts(t *testing.T) {
	for _, shell := range Shells {
		script, err := manualOf(t).Script(shell)
		if err != nil || strings.Contains(script, "PROGRAM") || !strings.Contains(script, "tool complete -- ") {
			t.Errorf("%s: %v\n%s", shell, err, script)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		command := exec.CommandContext(t.Context(), path, "-n")
		command.Stdin = strings.NewReader(script)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}
