package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// dataFlag is the folder for what is kept from run to run.
type dataFlag struct {
	Data string `placeholder:"DIR" help:"Folder for the database and newer lists. Default: rcpt in the user's data folder."`
}

// folder returns the folder; empty when none is named and the user has none.
func (f dataFlag) folder() string {
	if f.Data != "" {
		return f.Data
	}
	return userData(runtime.GOOS, os.Getenv)
}

// userData returns our folder where the operating system wants programs to keep a user's data; on Unix by the XDG Base Directory
// Specification, which has relative paths ignored.
func userData(system string, getenv func(string) string) string {
	home := getenv("HOME")
	var base string
	switch system {
	case "windows":
		base = getenv("LocalAppData")
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		if base = getenv("XDG_DATA_HOME"); !filepath.IsAbs(base) {
			base = filepath.Join(home, ".local", "share")
		}
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "rcpt")
}
