package lists

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func addition(kind Kind, text string) Addition {
	return Addition{Kind: kind, Name: "mine.txt", From: strings.NewReader(text)}
}

func TestAdditionText(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           "throw.example",
		"byte order mark": "\ufeff# mine\nthrow.example\n",
		"CRLF":            "# mine\r\n\r\nthrow.example\r\n",
		"comment":         "throw.example # seen in May",
		"space":           "  throw.example\t\n",
		"upper case":      "THROW.Example.",
		"full width":      "ｔｈｒｏｗ．example",
		"with an @":       "@throw.example",
		"twice":           "throw.example\nthrow.example",
	} {
		t.Run(name, func(t *testing.T) {
			l := embeddedLists(t, addition(KindDisposable, text))
			if got := entriesOf(l.Match("john", "throw.example")); got != "disposable:throw.example" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAdditionKeepsHashInLocalPart(t *testing.T) {
	l := embeddedLists(t, addition(KindSpamTrap, "a#b@acme.example"))
	if got := entriesOf(l.Match("a#b", "acme.example")); got != "spamtrap:a#b@acme.example" {
		t.Errorf("got %q", got)
	}
}

func TestAdditionErrors(t *testing.T) {
	for _, tt := range []struct {
		kind Kind
		text string
		want string
	}{
		{"blocked", "", "mine.txt: there is no list \"blocked\""},
		{KindDisposable, "ok.example\n# fine\nnot a domain\n", "mine.txt:3: \"not a domain\" is not a domain name"},
		{KindDisposable, "co.uk", "mine.txt:1: \"co.uk\" is a public suffix"},
		{KindDisposable, "localhost", "mine.txt:1: \"localhost\" has no dot"},
		{KindDisposable, "192.0.2.1", "mine.txt:1: \"192.0.2.1\" is an address"},
		{KindDisposable, "bob@acme.example", "mine.txt:1: \"bob@acme.example\" cannot be an entry of the list disposable"},
		{KindDisposable, "mx:", "mine.txt:1: \"mx:\" has no name"},
		{KindDisposable, "@", "mine.txt:1: \"@\" has no name"},
		{KindDisposable, "*.throw.example", "mine.txt:1: \"*.throw.example\" is not a domain name"},
		{KindFree, "mx:mail.example", "mine.txt:1: \"mx:mail.example\" cannot be an entry of the list free"},
		{KindRole, "@acme.example", "mine.txt:1: \"@acme.example\" cannot be an entry of the list role"},
		{KindAllow, "mx:mail.example", "mine.txt:1: \"mx:mail.example\" cannot be an entry of the list allow"},
		{KindRole, "human resources", "mine.txt:1: \"human resources\" is not a valid local-part"},
		{KindRole, "\xff", "mine.txt:1: \"\\xff\" is not a valid local-part"},
		{KindRole, strings.Repeat("a", 65), "is longer than the 64 octets"},
		{KindAllow, "ok.example\n" + strings.Repeat("a", maxLine+1), "mine.txt:2: the line is longer than 4096 octets"},
	} {
		_, err := New(addition(tt.kind, tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s list %.30q: error %v, want %q", tt.kind, tt.text, err, tt.want)
		}
	}
}

func TestAdditionReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	from := io.MultiReader(strings.NewReader("ok.example\n"), iotest.ErrReader(broken))
	if _, err := New(Addition{Kind: KindAllow, Name: "mine.txt", From: from}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func FuzzParseEntry(f *testing.F) {
	for _, seed := range []string{"throw.example", "mx:a.example", "bob@acme.example", "info@", "@a.example", "müll.example", "a b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []Kind{KindRole, KindFree, KindDisposable, KindSpamTrap, KindAllow} {
			e, err := parseEntry(kind, text)
			if err != nil {
				continue
			}
			if e.local == "" && e.domain == "" {
				t.Errorf("%s: %q has no name", kind, text)
			}
			if strings.ContainsAny(e.local+e.domain, "\t\n") {
				t.Errorf("%s: %q would break its table", kind, text)
			}
		}
	})
}
