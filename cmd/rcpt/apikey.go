package main

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
)

// apiKeyVariable is the environment variable with the server's key. There is no flag for it: other users can see the flags of a process.
const apiKeyVariable = "RCPT_API_KEY"

// keyBytes is the length of the random part of a key that is made: 256 bits cannot be guessed.
const keyBytes = 32

type apiKey struct {
	secret string
	made   bool // for this run, because none was set
}

// apiKeyFrom takes the key that was set, or makes one. Blanks around it are left out: files that hold keys often end with a line feed.
func apiKeyFrom(set string) (apiKey, error) {
	secret := strings.TrimSpace(set)
	if secret == "" {
		return apiKey{secret: newKey(), made: true}, nil
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			return apiKey{}, fmt.Errorf("%s has characters that a header cannot carry: use visible ASCII characters without spaces", apiKeyVariable)
		}
	}
	return apiKey{secret: secret}, nil
}

func newKey() string {
	random := make([]byte, keyBytes)
	rand.Read(random) // never fails
	return "rcpt_" + base64.RawURLEncoding.EncodeToString(random)
}
