// Command rcpt-sbom writes the software bill of materials of a Go binary, in
// the JSON form of CycloneDX 1.6: the modules that it is linked with, from the
// build information that it has. The same binary gives the same octets.
//
//	rcpt-sbom BINARY DOCUMENT
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
)

// document is a CycloneDX document.
type document struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

// component is a module, by its package URL.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rcpt-sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: rcpt-sbom BINARY DOCUMENT")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(documentOf(info), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], append(text, '\n'), 0o644)
}

func documentOf(info *debug.BuildInfo) document {
	main := componentOf("application", info.Main.Path, info.Main.Version)
	d := document{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata:     metadata{Timestamp: setting(info, "vcs.time"), Component: main},
		Dependencies: []dependency{{Ref: main.Ref}},
	}
	d.add(componentOf("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		d.add(componentOf("library", module.Path, module.Version))
	}
	return d
}

// add adds a component that the binary is linked with.
func (d *document) add(c component) {
	d.Components = append(d.Components, c)
	d.Dependencies[0].On = append(d.Dependencies[0].On, c.Ref)
}

// componentOf describes a module of Go.
func componentOf(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + url.PathEscape(version)
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
