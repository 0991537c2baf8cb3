package verdictcache

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
)

func TestHide(t *testing.T) {
	for _, tt := range []struct{ address, text, want string }{
		{"alice@acme.example", "<alice@acme.example>: Recipient address rejected: User unknown", "* Recipient address rejected: User unknown"},
		{"alice@acme.example", "ALICE@ACME.EXAMPLE user unknown", "* user unknown"},
		{"alice@acme.example", "User alice, unknown; (Alice) xalicex", "User * unknown; * *"},
		{"alice@acme.example", "mailbox postmaster@acme.example knows more", "mailbox * knows more"},
		{"John.Smith+news@acme.example", "user smith unknown", "user * unknown"},
		{"john.smith@acme.example", "user johnsmith unknown", "user * unknown"},
		{"john.smith@acme.example", "user john%2Esmith unknown", "user * unknown"},
		{"john@acme.example", "no access, see https://acme.example/why?r=am9obkBhY21l today", "no access, see https://acme.example/why?* today"},
		{"jo@acme.example", "no such user jo, just a joke", "no such user * just a joke"},
		{"jörg@acme.example", "JÖRG ist unbekannt", "* ist unbekannt"},
		{"jörg@acme.example", "Jo\u0308rg ist unbekannt", "* ist unbekannt"},
		{"用户名@acme.example", "没有用户名。 bye", "* bye"},
		{`"john smith"@acme.example`, "no johnsmith here", "no * here"},
		{`"no such"@acme.example`, "no such mailbox", "no * mailbox"},
		{`"o u"@acme.example`, "no user", ""},
		{`"..."@acme.example`, "wait ... no", "wait * no"},
		{"a@acme.example", "", ""},
	} {
		m, ok := read(tt.address)
		if !ok {
			t.Fatalf("%s is no address", tt.address)
		}
		if got := newMask(m).hide(tt.text); got != tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.address, tt.text, got, tt.want)
		}
	}
}

// TestStored checks what gets into the store of a result that quotes its
// address wherever it can.
func TestStored(t *testing.T) {
	m, _ := read("alice.jones@acme.example")
	r := resultOf(m.given, rcpt.ReasonMailboxNotFound)
	r.Details.SMTP.Text = "<alice.jones@acme.example>: unknown"
	r.Suggestion = "alice.jones@acne.example"
	r.Details.Transcript = append(r.Details.Transcript, resultTranscript(m.given)...)
	r.Details.Matches = []lists.Match{
		{List: lists.KindRole, Entry: "alice.jones", Source: "a"},
		{List: lists.KindDisposable, Entry: "acme.example", Source: "b"},
		{List: lists.KindDisposable, Entry: "mx:mx.acme.example", Source: "c"},
		{List: lists.KindDisposable, Entry: "example", Source: "d"},
		{List: lists.KindSpamTrap, Entry: "alice.jones@acme.example", Source: "e"},
		{List: lists.KindSpamTrap, Entry: strings.Repeat("0f", 32), Source: "f"},
		{List: rhsbl.Kind, Entry: "acme.example", Source: "g"},
	}
	text, err := json.Marshal(newStoredResult(m, r, "fingerprint"))
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []string{"alice", "jones", "0f0f", "transcript"} {
		if strings.Contains(strings.ToLower(string(text)), told) {
			t.Errorf("%q in %s", told, text)
		}
	}
	var back storedResult
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	got, _ := back.result(m)
	if got.Suggestion != "alice.jones@acne.example" || got.Email != m.given || got.Local != "alice.jones" || got.Reason.Failed() {
		t.Errorf("%+v %+v", got, got.Details)
	}
	var entries []string
	for _, match := range got.Details.Matches {
		entries = append(entries, match.Source+":"+match.Entry)
	}
	if want := "a: b:acme.example c:mx:mx.acme.example d:example e: f: g:acme.example"; strings.Join(entries, " ") != want {
		t.Errorf("entries %q, want %q", entries, want)
	}
	if r.Details.SMTP.Text == got.Details.SMTP.Text || len(r.Details.Transcript) == 0 || r.Details.Matches[0].Entry == "" {
		t.Error("the result itself was changed")
	}
}

// FuzzHide looks for a local-part of three characters and more that can still
// be read.
func FuzzHide(f *testing.F) {
	f.Add("alice", "<alice@acme.example>: user ALICE unknown")
	f.Add("John.Smith+tag", "550 5.1.1 johnsmith smith tag")
	f.Add(`"a b c"`, "a b  c\ta b c")
	f.Add("jörg", "jo\u0308rg JÖRG")
	f.Add("***", "*** ****")
	f.Add("ſtraße", "STRASSE strasse")
	f.Add(`"… …"`, "x@y x@y")
	f.Add("\u212aelvin", "kelvin")
	f.Fuzz(func(t *testing.T, local, text string) {
		m, ok := read(local + "@acme.example")
		if !ok || utf8.RuneCountInString(m.local) < tellingLength {
			return
		}
		r := resultOf(m.given, rcpt.ReasonMailboxNotFound)
		r.Details.SMTP.Text = text
		left := newStoredResult(m, r, "").Record.Details.SMTP.Text
		for name, read := range map[string]func(string) string{"as it is": func(s string) string { return s }, "in small letters": strings.ToLower, "folded": fold} {
			if strings.Contains(read(left), read(m.local)) {
				t.Errorf("%q can be read %s in %q, of %q", m.local, name, left, text)
			}
		}
		if !utf8.ValidString(left) {
			t.Errorf("%q is not UTF-8", left)
		}
	})
}
