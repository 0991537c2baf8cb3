package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/licences"
	"github.com/rcpt/rcpt/lists"
)

// errPrinted ends the parsing of a command line after a flag has printed its
// output.
var errPrinted = errors.New("printed")

// versionFlag is "rcpt --version".
type versionFlag bool

// BeforeReset prints the version instead of running a command.
func (versionFlag) BeforeReset(std terminal) error {
	if _, err := fmt.Fprintf(std.out, "rcpt %s\n", version()); err != nil {
		return err
	}
	return errPrinted
}

// versionCommand is "rcpt version".
type versionCommand struct {
	JSON bool `name:"json" env:"-" help:"Print a JSON object."`
}

// licencesCommand is "rcpt licences".
type licencesCommand struct{}

// Run prints the licence texts.
func (*licencesCommand) Run(std terminal) error {
	_, err := std.out.WriteString(licences.Text)
	return err
}

// build describes this binary. Commit and Date, the time of the commit as RFC
// 3339 has it, are empty if the build did not know them.
type build struct {
	Version string      `json:"version"`
	Commit  string      `json:"commit,omitempty"`
	Date    string      `json:"date,omitempty"`
	Go      string      `json:"go"`
	OS      string      `json:"os"`
	Arch    string      `json:"arch"`
	Lists   buildOfList `json:"lists"`
}

type buildOfList struct {
	Date    string         `json:"date"`
	Entries map[string]int `json:"entries"`
}

// Run prints the version of this binary and of its parts.
func (c *versionCommand) Run(std terminal) error {
	known, err := lists.New()
	if err != nil {
		return err
	}
	commit := builtFrom()
	if c.JSON {
		b := build{version(), commit.revision, commit.time, runtime.Version(), runtime.GOOS, runtime.GOARCH,
			buildOfList{known.Edition().Date(), map[string]int{}}}
		for _, list := range known.Info() {
			b.Lists.Entries[string(list.Kind)] = list.Count
		}
		return newEncoder(std.out).Encode(b)
	}
	if _, err := fmt.Fprintf(std.out, "rcpt %s\n%s%s %s/%s\nembedded lists of %s\n",
		version(), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, known.Edition().Date()); err != nil {
		return err
	}
	for _, list := range known.Info() {
		if _, err := fmt.Fprintf(std.out, "list %-16s %7d entries\n", list.Kind, list.Count); err != nil {
			return err
		}
	}
	return nil
}

// version returns the module's version, or for a build from a working copy the
// revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	commit := builtFrom()
	text := info.Main.Version
	if commit.revision != "" && (text == "" || text == "(devel)") {
		text = "revision " + commit.revision
		if commit.modified {
			text += ", modified"
		}
	}
	return text
}

// commit is a commit of the repository. It is the zero value in a build from
// elsewhere, such as from the module proxy.
type commit struct {
	revision string
	time     string // RFC 3339
	modified bool   // by what was not committed
}

// builtFrom returns the commit that this binary was built from.
func builtFrom() (c commit) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return c
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			c.revision = setting.Value
		case "vcs.time":
			c.time = setting.Value
		case "vcs.modified":
			c.modified = setting.Value == "true"
		}
	}
	return c
}

// String returns a line for people, or "".
func (c commit) String() string {
	if c.revision == "" {
		return ""
	}
	return fmt.Sprintf("commit %s of %s\n", c.revision, c.time)
}

// day returns the day of the commit, or "" if it is not known.
func (c commit) day() string {
	day, _, _ := strings.Cut(c.time, "T")
	return day
}
