package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/rcpt/rcpt/lists"
)

// versionCommand is "rcpt version".
type versionCommand struct{}

// Run prints what this binary is made of.
func (*versionCommand) Run(std terminal) error {
	known, err := lists.New()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(std.out, "rcpt %s\n%s %s/%s\nlists of %s\n",
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

// version is the module's version, or for a build from a working copy the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	text := info.Main.Version
	if revision := settings["vcs.revision"]; revision != "" && (text == "" || text == "(devel)") {
		text = "revision " + revision
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return text
}
