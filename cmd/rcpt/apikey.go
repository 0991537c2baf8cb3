package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/server/keyring"
)

// apiKeyVariable is the environment variable with the server's key. There is no flag for it: other users can see the flags of a process.
const apiKeyVariable = "RCPT_API_KEY"

// shortKey is the length from which on a key that was set is not called short: random hexadecimal digits of that number are 64 bits.
const shortKey = 16

type apiKey struct {
	secret string
	made   bool // for this run, because none was set
}

// apiKeyFrom takes the key that was set, or makes one. Blanks around it are left out: files that hold keys often end with a line feed.
func apiKeyFrom(set string) (apiKey, error) {
	secret := strings.TrimSpace(set)
	if secret == "" {
		return apiKey{secret: keyring.NewText(), made: true}, nil
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			return apiKey{}, fmt.Errorf("%s has characters that a header cannot carry: use visible ASCII characters without spaces", apiKeyVariable)
		}
	}
	return apiKey{secret: secret}, nil
}

// warnIfShort tells that a key can be guessed. The server cannot keep guessers out: behind a reverse proxy they look like everybody else.
func (k apiKey) warnIfShort(logger *slog.Logger) {
	if len(k.secret) < shortKey {
		logger.Warn("the key is short enough to be guessed: set "+apiKeyVariable+" to a long random text", slog.Int("length", len(k.secret)))
	}
}
