package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/server/keyring"
)

// TestShortKey: who sets a key that can be guessed is told, without the key; nobody else is.
func TestShortKey(t *testing.T) {
	for secret, warned := range map[string]bool{"hunter2": true, "0123456789abcde": true, "0123456789abcdef": false, keyring.NewText(): false} {
		var log strings.Builder
		apiKey{secret: secret}.warnIfShort(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "RCPT_API_KEY") != warned || strings.Contains(log.String(), secret) {
			t.Errorf("%q: log %q", secret, log.String())
		}
	}
}
