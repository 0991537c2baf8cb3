package main

import (
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// composeFile is what the test reads of a file for Docker Compose.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		Tmpfs       []string
	}
	Networks map[string]struct {
		IPAM struct {
			Config []struct{ Subnet, Gateway string }
		}
	}
}

// TestCompose: the files for Docker Compose tell each server what it must know
// behind a proxy, and have it keep lists that arrive on a disk.
func TestCompose(t *testing.T) {
	for name, servers := range map[string]int{"compose.yaml": 1, "fleet.yaml": 3} {
		text, err := os.ReadFile("../../deploy/compose/" + name)
		check(t, err)
		var file composeFile
		check(t, yaml.Unmarshal(text, &file))
		gateway := file.Networks["default"].IPAM.Config[0].Gateway
		subnet, err := netip.ParsePrefix(file.Networks["default"].IPAM.Config[0].Subnet)
		check(t, err)
		if at, err := netip.ParseAddr(gateway); err != nil || !subnet.Contains(at) {
			t.Errorf("%s: the gateway %s is not in %s", name, gateway, subnet)
		}
		names, found := map[string]bool{}, 0
		for service, s := range file.Services {
			if s.Image != "rcpt" {
				continue
			}
			found++
			names[s.Environment["RCPT_HELO"]] = true
			if got, want := s.Environment["RCPT_TRUSTED_PROXY"], "${RCPT_TRUSTED_PROXY:-"+gateway+"/32}"; got != want {
				t.Errorf("%s, %s: RCPT_TRUSTED_PROXY is %q, want %q", name, service, got, want)
			}
			if s.Environment["RCPT_PUBLIC_URL"] != "${RCPT_PUBLIC_URL:-}" {
				t.Errorf("%s, %s: RCPT_PUBLIC_URL is not passed on", name, service)
			}
			if !slices.ContainsFunc(s.Volumes, func(v string) bool { return v == "/data" || strings.HasSuffix(v, ":/data") }) {
				t.Errorf("%s, %s: /data is no volume: %q", name, service, s.Volumes)
			}
			for _, memory := range s.Tmpfs {
				if !regexp.MustCompile(`^/tmp:size=\d+m$`).MatchString(memory) {
					t.Errorf("%s, %s: the tmpfs %s has no size", name, service, memory)
				}
			}
			for _, port := range s.Ports {
				if !strings.HasPrefix(port, "127.0.0.1:") {
					t.Errorf("%s, %s: others than this machine reach %s, and the gateway is trusted", name, service, port)
				}
			}
		}
		if found != servers || len(names) != servers {
			t.Errorf("%s: %d servers with %d names for EHLO, want %d", name, found, len(names), servers)
		}
	}
}
