package address

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, content, mailbox string }{
		{"user@example.com", "user", "user@example.com"},
		{"First.Last+tag@Example.COM", "First.Last+tag", "First.Last+tag@example.com"},
		{"!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~", "!#$%&'*+-/=?^_`{|}~@example.com"},
		{"-@example.com", "-", "-@example.com"},
		{"a.b.c@example.com", "a.b.c", "a.b.c@example.com"},

		{`"abc"@example.com`, "abc", "abc@example.com"},
		{`"a.b"@example.com`, "a.b", "a.b@example.com"},
		{`"a\.b\c"@example.com`, "a.bc", "a.bc@example.com"},
		{`"a..b"@example.com`, "a..b", `"a..b"@example.com`},
		{`".a"@example.com`, ".a", `".a"@example.com`},
		{`"a."@example.com`, "a.", `"a."@example.com`},
		{`""@example.com`, "", `""@example.com`},
		{`" "@example.com`, " ", `" "@example.com`},
		{`"a@b"@example.com`, "a@b", `"a@b"@example.com`},
		{`"a\"b\\c"@example.com`, `a"b\c`, `"a\"b\\c"@example.com`},
		{`"\a\ b"@example.com`, "a b", `"a b"@example.com`},
		{`"<script>"@example.com`, "<script>", `"<script>"@example.com`},

		{"жук@example.com", "жук", "жук@example.com"},
		{`"жук"@example.com`, "жук", "жук@example.com"},
		{`"дед мороз"@example.com`, "дед мороз", `"дед мороз"@example.com`},
		{"e\u0301@example.com", "e\u0301", "e\u0301@example.com"},
		{"Straße@example.com", "Straße", "Straße@example.com"},
		{"٣\u0600@example.com", "٣\u0600", "٣\u0600@example.com"},
		{"می\u200cخواهم@example.com", "می\u200cخواهم", "می\u200cخواهم@example.com"},
		{"क\u094d\u200dष@example.com", "क\u094d\u200dष", "क\u094d\u200dष@example.com"},
		{"x\u0301क\u094d\u200dष@example.com", "x\u0301क\u094d\u200dष", "x\u0301क\u094d\u200dष@example.com"},
		{"😀@example.com", "😀", "😀@example.com"},
		{"👩🏽\u200d💻@example.com", "👩🏽\u200d💻", "👩🏽\u200d💻@example.com"},
		{"❤\ufe0f\u200d🔥@example.com", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥@example.com"},
		{"1\ufe0f\u20e3@example.com", "1\ufe0f\u20e3", "1\ufe0f\u20e3@example.com"},
		{"#\ufe0f\u20e3*\ufe0f\u20e3@example.com", "#\ufe0f\u20e3*\ufe0f\u20e3", "#\ufe0f\u20e3*\ufe0f\u20e3@example.com"},
		{"\ue000@example.com", "\ue000", "\ue000@example.com"},

		{"user@ab--cd.example", "user", "user@ab--cd.example"},
		{"info@bücher.example", "info", "info@xn--bcher-kva.example"},
		{"用户@例子。公司", "用户", "用户@xn--fsqu00a.xn--55qx5d"},
	} {
		a, err := Parse(c.in)
		if err != nil {
			t.Errorf("%+q: %v", c.in, err)
			continue
		}
		if a.Unquoted() != c.content || a.Mailbox() != c.mailbox {
			t.Errorf("%+q: content %+q, mailbox %+q, want %+q, %+q", c.in, a.Unquoted(), a.Mailbox(), c.content, c.mailbox)
		}
	}
}

func TestParseKeepsLocalAsGiven(t *testing.T) {
	a, err := Parse(`"O\'Brien"@Example.COM`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Local() != `"O\'Brien"` || a.Domain() != "example.com" {
		t.Errorf("local %q, domain %q", a.Local(), a.Domain())
	}
}

func TestNeedsSMTPUTF8(t *testing.T) {
	for in, want := range map[string]bool{
		"user@example.com":       false,
		"user@bücher.example":    false,
		"жук@example.com":        true,
		`"a жук"@example.com`:    true,
		`"quoted @"@example.com`: false,
	} {
		a, err := Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.NeedsSMTPUTF8(); got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}
