package engine_test

import (
	"testing"

	"github.com/rcpt/rcpt/engine"
)

func TestSuggestion(t *testing.T) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"Anna@gmial.com":        "Anna@gmail.com",
		"Anna+news@Hotmial.COM": "Anna+news@hotmail.com",
		`"an na"@gmial.com`:     `"an na"@gmail.com`,
		"änna@gmail.con":        "änna@gmail.com",
		"anna@gmailcom":         "anna@gmail.com",
		`"a@b"@GmailCom`:        `"a@b"@gmail.com`,

		"anna@gmail.com":    "",
		"anna@example.test": "",
		"anna@localhost":    "",
		"anna@[192.0.2.1]":  "",
		"an na@gmailcom":    "",
		"@gmailcom":         "",
		"gmailcom":          "",
		"":                  "",
	} {
		result, err := verifier.Verify(t.Context(), given)
		if err != nil || result.Details.Suggestion != want {
			t.Errorf("%q: suggestion %q (%v), want %q", given, result.Details.Suggestion, err, want)
		}
	}
}
