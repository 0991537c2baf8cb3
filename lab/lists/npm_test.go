package main

import (
	"bytes"
	"net/http/httptest"
	"os/exec"
	"testing"
)

// npm itself, against a registry on loopback.
func TestNPM(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed: its download is not tested")
	}
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_update_notifier", "false")
	w := newWorld(t)
	server := httptest.NewServer(w)
	defer server.Close()
	got, err := npm{registry: server.URL}.download(t.Context(), w.pins.Packages[1])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, w.archives["away"]) {
		t.Error("the download is not the archive that the registry has")
	}
}
