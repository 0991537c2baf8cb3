package smtp

import "testing"

func TestParseLogged(t *testing.T) {
	for text, want := range map[string]string{
		"550 5.1.1 no such user":            "550 5.1.1 no such user",
		"550-5.1.1 no such\n550 5.1.1 user": "550-5.1.1 no such\n550 5.1.1 user",
		// without the code on later lines
		"550 5.1.1 no such\n5.1.1 user":              "550-5.1.1 no such\n550 5.1.1 user",
		"550-no such\r\nuser here\r\nor there\r\n":   "550-no such\n550-user here\n550 or there",
		"550 no such\n550 user":                      "550-no such\n550 user",
		"550 you sent\n550.5 messages":               "550-you sent\n550 550.5 messages",
		"451 Greylisted,\n2026-11-26 is soon enough": "451-Greylisted,\n451 2026-11-26 is soon enough",
		"550": "550 ",
		// as Python prints it
		`b'550 5.1.1 no such user'`:                                            "550 5.1.1 no such user",
		`(550, b'5.1.1 no such\nuser')`:                                        "550-5.1.1 no such\n550 5.1.1 user",
		`(550, b"5.1.1 user doesn't exist")`:                                   "550 5.1.1 user doesn't exist",
		`(451, 'say "later"')`:                                                 `451 say "later"`,
		`{'a@b.example': (550, b'5.1.1 <a@b.example>: it\'s \xc3\xbcnknown')}`: "550 5.1.1 <a@b.example>: it's ünknown",
	} {
		reply, err := ParseLogged(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := reply.String(); got != want {
			t.Errorf("%q read as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "hello", "55", "550 no\n250 yes", "1", `b''`, "(550, b'no)", "650 no"} {
		if reply, err := ParseLogged(text); err == nil {
			t.Errorf("%q read as %q", text, reply)
		}
	}
}
