package world

import (
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"testing"
)

func TestControl(t *testing.T) {
	spec, err := json.Marshal(testSpec())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Control(strings.NewReader(string(spec)+"\n\"take\"\n"), &out); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(&out)
	var ready Ready
	if err := answers.Decode(&ready); err != nil {
		t.Fatal(err)
	}
	if host, _, err := net.SplitHostPort(ready.DNS); err != nil || host != "127.78.0.1" {
		t.Errorf("the DNS server listens on %q: %v", ready.DNS, err)
	}
	var counted Counters
	if err := answers.Decode(&counted); err != nil {
		t.Fatal(err)
	}
	if err := Control(strings.NewReader(`{"Port":25}`), &out); err == nil {
		t.Error("a world without domains starts")
	}
}
