package listupdate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func TestOpenEdition(t *testing.T) {
	sound, err := os.ReadFile(bundleFile)
	check(t, err)
	ofFile := sha256.Sum256(sound)
	for _, c := range []struct {
		name string
		data []byte
		sum  string
		want string // part of the error; empty: none
	}{
		{"sound", sound, "", ""},
		{"with the file's checksum", sound, hex.EncodeToString(ofFile[:]), ""},
		{"with the edition's checksum", sound, bundleFor(t).SHA256(), ""},
		{"with another checksum", sound, strings.Repeat("0", 2*sha256.Size), "its SHA-256 is " + hex.EncodeToString(ofFile[:])},
		{"web page", []byte("<!DOCTYPE html><title>Sign in</title>"), "", "this is a web page"},
		{"empty", nil, "", "download it again"},
		{"cut off", sound[:len(sound)/2], "", "download it again"},
		{"one bit flipped", append(bytes.Clone(sound[:len(sound)-1]), sound[len(sound)-1]^1), "", "is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := Read(c.data, c.sum)
			switch {
			case c.want == "" && (err != nil || found.SHA256() != bundleFor(t).SHA256()):
				t.Errorf("got %v, %v", found, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
