package service

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/rcpt/rcpt/internal/service/keyring"
)

// shortKey is the length below which a key is called short: 16 random
// hexadecimal digits are 64 bits.
const shortKey = 16

// Key is the fixed key of a server: set by the operator, or made for one run.
// It may be empty.
type Key struct {
	Secret    string
	Generated bool // for this run, because none was set
}

// KeyFrom returns the key that was set, or generates one. It removes blanks
// around the key: files with keys often end with a line feed.
func KeyFrom(set string) (Key, error) {
	secret := strings.TrimSpace(set)
	if secret == "" {
		return Key{Secret: keyring.NewText(false), Generated: true}, nil
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			const format = "%s has characters that are not allowed in a header: " +
				"use visible ASCII characters without spaces"
			return Key{}, fmt.Errorf(format, keyring.FixedVariable)
		}
	}
	return Key{Secret: secret}, nil
}

// WarnIfShort logs that a key can be guessed. The server cannot limit guessing:
// behind a reverse proxy all clients have the same address.
func (k Key) WarnIfShort(logger *slog.Logger) {
	if len(k.Secret) < shortKey {
		logger.Warn("the key is short and can be guessed: set "+keyring.FixedVariable+" to a long random text",
			slog.Int("length", len(k.Secret)))
	}
}
