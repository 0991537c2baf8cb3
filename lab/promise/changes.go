package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// change is a line of apidiff about a name: "- Config.Pace: removed",
// "- (*Verifier).Stats: changed from ...".
var change = regexp.MustCompile(`^- (?:\(?\*?)([A-Z]\w*)\)?((?:\.\w+)?)`)

// incomparable is a change that STABILITY.md allows: fields may be added of any
// type, and programs do not compare structs.
const incomparable = ": old is comparable, new is not"

// stableChanges copies from in what apidiff says about stable names: those that
// were stable in the old version, or are new and stable. Headings without a
// change are left out. It returns whether a change is incompatible.
func stableChanges(in io.Reader, out io.Writer, was, is *folder) (incompatible bool, err error) {
	heading, breaks := "", false
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "- ") {
			heading, breaks = line, strings.HasPrefix(line, "Incompatible")
			continue
		}
		if !counts(line, was, is) {
			continue
		}
		if heading != "" {
			fmt.Fprintln(out, heading)
			heading = ""
		}
		fmt.Fprintln(out, line)
		incompatible = incompatible || breaks
	}
	return incompatible, lines.Err()
}

// counts reports whether a line of apidiff is about something stable.
func counts(line string, was, is *folder) bool {
	if strings.Contains(line, incomparable) {
		return false
	}
	found := change.FindStringSubmatch(line)
	if found == nil {
		return true
	}
	for _, text := range []string{found[1] + found[2], found[1]} {
		for _, f := range []*folder{was, is} {
			if n := f.find(text); n != nil {
				return !n.experimental
			}
		}
	}
	return true
}
