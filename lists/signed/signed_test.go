package signed

import (
	"bytes"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"aead.dev/minisign"
)

func TestCheck(t *testing.T) {
	public, private, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	other, _, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	data := []byte("an edition")
	signature := minisign.SignWithComments(private, data, "edition of today", "")
	key := func(public minisign.PublicKey) (key Key) {
		text, err := public.MarshalText() // with its comment, as in a file
		check(t, err)
		check(t, key.UnmarshalText(text))
		return key
	}
	for name, c := range map[string]struct {
		data, signature []byte
		keys            []Key
		want            string // part of the error; empty: none
	}{
		"sound":             {data, signature, []Key{key(public)}, ""},
		"one of two keys":   {data, signature, []Key{key(other), key(public)}, ""},
		"another key":       {data, signature, []Key{key(other)}, "is by another key"},
		"no key":            {data, signature, nil, "there is no key"},
		"changed":           {[]byte("an Edition"), signature, []Key{key(public)}, "not one of this file"},
		"changed comment":   {data, bytes.Replace(signature, []byte("today"), []byte("1.1.1"), 1), []Key{key(public)}, "not one of this file"},
		"no signature":      {data, data, []Key{key(public)}, "not one of minisign"},
		"nothing":           {data, nil, []Key{key(public)}, "not one of minisign"},
		"half a signature":  {data, signature[:len(signature)/2], []Key{key(public)}, "not one of minisign"},
		"of another's text": {data, []byte(strings.Repeat("a\n", 4)), []Key{key(public)}, "not one of minisign"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(c.data, c.signature, c.keys...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestReleaseKey: what is embedded is a key, or nothing.
func TestReleaseKey(t *testing.T) {
	if keys, err := ReleaseKeys(); err != nil || len(keys) > 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

func TestRead(t *testing.T) {
	public, private, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	key := Key{public}
	edition, err := os.ReadFile("../data/lists.bundle")
	check(t, err)
	b, err := Read(edition, minisign.Sign(private, edition), key)
	if check(t, err); b.Date() == "" {
		t.Error("the edition has no date")
	}
	if _, err := Read(edition, minisign.Sign(private, edition[1:]), key); err == nil {
		t.Error("the signature of another file is taken")
	}
	if _, err := Read(edition[1:], minisign.Sign(private, edition[1:]), key); err == nil {
		t.Error("what is signed and no edition is taken")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
