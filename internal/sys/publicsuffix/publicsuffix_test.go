package publicsuffix

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	origin "golang.org/x/net/publicsuffix"
)

// TestTableIsThatOfTheOrigin fails when golang.org/x/net in go.mod has another
// list than the one here.
func TestTableIsThatOfTheOrigin(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	module := filepath.Join(strings.TrimSpace(string(out)), "publicsuffix")
	for _, name := range []string{"table.go", "data/children", "data/nodes", "data/text"} {
		theirs, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			t.Fatal(err)
		}
		before, rest, _ := strings.Cut(string(theirs), "const version")
		if _, after, ok := strings.Cut(rest, "\n\n"); ok {
			before += after
		}
		if ours, err := os.ReadFile(name); err != nil || string(ours) != before {
			t.Errorf("%s is not that of %s: run go generate ./internal/sys/publicsuffix (%v)", name, origin.List, err)
		}
	}
}

// TestAnswersAreThoseOfTheOrigin asks for every label of the table, alone and
// at the end of other names.
func TestAnswersAreThoseOfTheOrigin(t *testing.T) {
	names := []string{
		"", ".", "com", "COM", "example.com", "a.b.example.co.uk", "co.uk", "www.ck", "a.www.ck", "x.ck", "a.x.ck",
		"city.kawasaki.jp", "a.city.kawasaki.jp", "x.kawasaki.jp", "foo.dyndns.org", "eu.org", "a.eu.org", "nosuch",
		"a.nosuch", "192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "::ffff:192.0.2.1", "fe80::1%eth0", "1.2.3", "a.com.",
		".com", "a..com", "example.123", "xn--p1ai", "a.xn--55qx5d.cn", "300.1.1.1",
	}
	for i := range uint32(numTLD) {
		names = append(names, nodeLabel(i), "a."+nodeLabel(i), "b.a."+nodeLabel(i), "c.b.a."+nodeLabel(i))
	}
	for suffix := range strings.FieldsSeq("com net org uk jp no us io dev app") {
		for i := range uint32(numTLD * 6) {
			names = append(names, nodeLabel(i)+"."+suffix, "b."+nodeLabel(i)+"."+suffix)
		}
	}
	for _, name := range names {
		suffix, icann := PublicSuffix(name)
		if want, is := origin.PublicSuffix(name); suffix != want || icann != is {
			t.Errorf("PublicSuffix(%q) = %q, %t; want %q, %t", name, suffix, icann, want, is)
		}
		domain, err := EffectiveTLDPlusOne(name)
		want, failure := origin.EffectiveTLDPlusOne(name)
		if domain != want || (err == nil) != (failure == nil) {
			t.Errorf("EffectiveTLDPlusOne(%q) = %q, %v; want %q, %v", name, domain, err, want, failure)
		}
	}
}
