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

		// One repair makes an address at a known provider of the text.
		"Anna@gmail..com":         "Anna@gmail.com",
		"Anna@Gmail,com":          "Anna@gmail.com",
		"anna@gmail;com":          "anna@gmail.com",
		"anna@gmail com":          "anna@gmail.com",
		"anna@gmail .com":         "anna@gmail.com",
		"anna@gma il.com":         "anna@gmail.com",
		"anna@gmail.com.":         "anna@gmail.com",
		"anna@.gmail.com":         "anna@gmail.com",
		"anna@gmail。。com":         "anna@gmail.com",
		"anna@gmail/.com":         "anna@gmail.com",
		"anna@@gmail.com":         "anna@gmail.com",
		"anna@ @gmail.com":        "anna@gmail.com",
		"anna.@gmail.com":         "anna@gmail.com",
		".anna@gmail.com":         "anna@gmail.com",
		"anna..schmidt@gmail.com": "anna.schmidt@gmail.com",
		"anna,schmidt@gmail.com":  "anna.schmidt@gmail.com",
		"anna. schmidt@gmail.com": "anna.schmidt@gmail.com",
		"anna@yahoo.co..uk":       "anna@yahoo.co.uk",
		"anna.s@hotmail,com":      "anna.s@hotmail.com",
		"änna@web..de":            "änna@web.de",
		"anna,gmail.com":          "anna@gmail.com",
		`anna"gmail.com`:          "anna@gmail.com",
		"anna gmail.com":          "anna@gmail.com",
		"[anna@gmail.com":         "anna@gmail.com",
		"anna[@gmail.com":         "anna@gmail.com",

		"anna schmidt@gmail.com":   "", // two addresses come of it
		"anna@gmial,com":           "", // two repairs
		"anna..@gmail,com":         "",
		"anna..schmidt@acme.test":  "", // no known provider
		"anna@acme,com":            "",
		"anna@b@gmail.com":         "",
		"anna.gmail.com":           "",
		"anna@[gmail.com]":         "",
		"a..b@docomo.ne.jp":        "", // it is asked about
		"anna@gmail.com\r\nRCPT":   "",
		"anna@gmail,,com, or what": "",
		"@gmail.com":               "",
		"anna@":                    "",
		"@":                        "",
		"..":                       "",

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
		if err != nil || result.Suggestion != want {
			t.Errorf("%q: suggestion %q (%v), want %q", given, result.Suggestion, err, want)
		}
	}
}
