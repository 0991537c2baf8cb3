package engine_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestHouse checks the arrows of docs/architecture.md: which folders know
// nothing of which others, with all that they import.
func TestHouse(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	knows := map[string][]string{} // by package, as paths below the module
	for line := range strings.Lines(string(out)) {
		pkg, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		pkg = strings.TrimPrefix(pkg, module)
		for _, dep := range strings.Fields(deps) {
			if below, ours := strings.CutPrefix(dep, module); ours {
				knows[pkg] = append(knows[pkg], below)
			}
		}
		if len(knows[pkg]) == 0 {
			knows[pkg] = nil
		}
	}
	within := func(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }
	for _, arrow := range []struct {
		folder string
		not    []string // what it and the folders in it do not know
	}{
		{"internal/service", []string{"cmd"}},
		{"internal/list", []string{"cmd", "internal/service"}},
		{"internal/headway", []string{"cmd", "internal/service", "server", "internal/list", "bulk"}},
		{"server", []string{"cmd", "internal/service", "internal/list"}},
		{"bulk", []string{"cmd", "internal/service", "server", "internal/list"}},
		{"engine", []string{"cmd", "internal/service", "server", "internal/list", "bulk"}},
		{"screen", []string{"cmd", "internal/service", "server", "internal/list", "bulk", "dnsresolve", "smtpprobe"}},
		{"internal/reading", []string{"cmd", "internal/service", "server", "internal/list", "bulk", "screen", "dnsresolve", "smtpprobe"}},
		{"dnsresolve", []string{"cmd", "internal/service", "server", "internal/list", "bulk", "engine", "smtpprobe", "lists"}},
		{"smtpprobe", []string{"cmd", "internal/service", "server", "internal/list", "bulk", "engine", "dnsresolve", "lists"}},
	} {
		found := false
		for pkg, deps := range knows {
			if !within(pkg, arrow.folder) {
				continue
			}
			found = true
			for _, dep := range deps {
				for _, not := range arrow.not {
					if within(dep, not) {
						t.Errorf("%s knows %s", pkg, dep)
					}
				}
			}
		}
		if !found {
			t.Errorf("there is no folder %s", arrow.folder)
		}
	}
	for _, leaf := range []string{"internal/sys", "internal/mailboxkey", "internal/feed", "engine/address", "smtpprobe/smtp"} {
		for pkg, deps := range knows {
			for _, dep := range deps {
				if within(pkg, leaf) && !within(dep, leaf) && !within(dep, "internal/sys") {
					t.Errorf("%s knows %s: %s is a leaf", pkg, dep, leaf)
				}
			}
		}
	}
}
