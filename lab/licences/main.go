// Command licences prints the licence texts of everything in the binary; go
// generate calls it in the folder of this module for the package licences of
// the command. It looks at the packages for every system that releases are made
// for, and finds the licence files in their folders and in those above, up to
// the root of their module.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those of the released binaries.
var systems = []string{"linux", "darwin", "windows"}

// root is the folder of the main module.
const root = ".."

// name is what files with licence texts are called.
var name = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)`)

// licence is a text and what it is for.
type licence struct {
	text   string
	owners []string
}

func main() {
	all, err := gather()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print("Licences of rcpt and of everything in it.\n")
	for _, l := range all {
		fmt.Printf("\n%s\n%s\n%s\n\n%s\n",
			strings.Repeat("=", 80), strings.Join(l.owners, "\n"), strings.Repeat("=", 80), l.text)
	}
}

// gather returns the texts in the order of their owners.
func gather() ([]*licence, error) {
	owners := map[string][]string{} // by text
	add := func(owner, file string) error {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
		if !slices.Contains(owners[text], owner) {
			owners[text] = append(owners[text], owner)
		}
		return nil
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	text := filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE")
	if err := add("Go and its standard library", text); err != nil {
		return nil, err
	}
	lists, err := filepath.Glob(root + "/lists/data/LICENSES/*")
	if err != nil {
		return nil, err
	}
	for _, file := range lists {
		if err := add("list: "+strings.TrimSuffix(filepath.Base(file), ".txt"), file); err != nil {
			return nil, err
		}
	}
	viewer, err := filepath.Glob(root + "/internal/service/web/openapi/rapidoc/LICENSE*")
	if err != nil {
		return nil, err
	}
	for _, file := range viewer {
		if err := add("RapiDoc, which shows the HTTP interface in browsers", file); err != nil {
			return nil, err
		}
	}
	for _, system := range systems {
		if err := addModules(system, add); err != nil {
			return nil, err
		}
	}
	var all []*licence
	for text, owners := range owners {
		slices.Sort(owners)
		all = append(all, &licence{text, owners})
	}
	slices.SortFunc(all, func(a, b *licence) int {
		return cmp.Or(slices.Compare(a.owners, b.owners), cmp.Compare(a.text, b.text))
	})
	return all, nil
}

// addModules adds the licences of the modules that the command is linked with.
func addModules(system string, add func(owner, file string) error) error {
	const command = "github.com/rcpt/rcpt/cmd/rcpt"
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}", command)
	list.Dir, list.Stderr = root, os.Stderr
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue // of the standard library
		}
		module, root, folder := fields[0], fields[1], fields[2]
		for ; strings.HasPrefix(folder, root); folder = filepath.Dir(folder) {
			if err := addFolder(module, folder, add); err != nil {
				return err
			}
		}
	}
	return nil
}

func addFolder(module, folder string, add func(owner, file string) error) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "licences.txt") {
			continue // what this program writes
		}
		if entry.Type().IsRegular() && name.MatchString(entry.Name()) && filepath.Ext(entry.Name()) != ".go" {
			if err := add(module, filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
