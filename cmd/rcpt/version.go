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

// build describes this binary.
type build struct {
	Version string      `json:"version"`
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
	if c.JSON {
		b := build{version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
			buildOfList{known.Edition().Date(), map[string]int{}}}
		for _, list := range known.Info() {
			b.Lists.Entries[string(list.Kind)] = list.Count
		}
		return newEncoder(std.out).Encode(b)
	}
	if _, err := fmt.Fprintf(std.out, "rcpt %s\n%s %s/%s\nembedded lists of %s\n",
		version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, known.Edition().Date()); err != nil {
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
	settings := settingsOf(info)
	text := info.Main.Version
	if revision := settings["vcs.revision"]; revision != "" && (text == "" || text == "(devel)") {
		text = "revision " + revision
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return text
}

func settingsOf(info *debug.BuildInfo) map[string]string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	return settings
}

// commitDate returns the day of the commit that this binary was built from, or
// "" if it is not known.
func commitDate() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	day, _, _ := strings.Cut(settingsOf(info)["vcs.time"], "T")
	return day
}
