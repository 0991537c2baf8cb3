package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// handFiles are kept by hand: an entry, a tab and the reason for it on each line.
type handFiles struct {
	allow, sharedHosts, spamTrap         []listfile.Entry
	freeAdd, freeDrop, roleAdd, roleDrop []listfile.Entry
}

func readHand(dir string) (handFiles, error) {
	var h handFiles
	for name, into := range map[string]*[]listfile.Entry{
		"allow":        &h.allow,
		"shared-hosts": &h.sharedHosts,
		"spamtrap":     &h.spamTrap,
		"free-add":     &h.freeAdd,
		"free-drop":    &h.freeDrop,
		"role-add":     &h.roleAdd,
		"role-drop":    &h.roleDrop,
	} {
		list, err := readHandFile(filepath.Join(dir, name+".txt"))
		if err != nil {
			return h, err
		}
		*into = list
	}
	return h, nil
}

func readHandFile(path string) ([]listfile.Entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []listfile.Entry
	seen := make(map[string]bool)
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, "\t")
		if reason == "" {
			return nil, fmt.Errorf("%s:%d: %q has no reason", path, number, name)
		}
		if seen[name] {
			return nil, fmt.Errorf("%s:%d: %q is there twice", path, number, name)
		}
		seen[name] = true
		list = append(list, listfile.Entry{Name: name, Note: reason})
	}
	return list, scanner.Err()
}
