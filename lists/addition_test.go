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
			l := embeddedLists(t, addition(Disposable, text))
			if got := entriesOf(l.Match("john", "throw.example")); got != "disposable:throw.example" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAdditionKeepsHashInLocalPart(t *testing.T) {
	l := embeddedLists(t, addition(SpamTrap, "a#b@acme.example"))
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
		{Disposable, "ok.example\n# fine\nnot a domain\n", "mine.txt:3: \"not a domain\" is not a domain name"},
		{Disposable, "co.uk", "mine.txt:1: \"co.uk\" is a public suffix"},
		{Disposable, "localhost", "mine.txt:1: \"localhost\" has no dot"},
		{Disposable, "192.0.2.1", "mine.txt:1: \"192.0.2.1\" is an address"},
		{Disposable, "bob@acme.example", "mine.txt:1: \"bob@acme.example\" cannot be an entry of the list disposable"},
		{Disposable, "mx:", "mine.txt:1: \"mx:\" has no name"},
		{Disposable, "@", "mine.txt:1: \"@\" has no name"},
		{Disposable, "*.throw.example", "mine.txt:1: \"*.throw.example\" is not a domain name"},
		{Free, "mx:mail.example", "mine.txt:1: \"mx:mail.example\" cannot be an entry of the list free"},
		{Role, "@acme.example", "mine.txt:1: \"@acme.example\" cannot be an entry of the list role"},
		{Allow, "mx:mail.example", "mine.txt:1: \"mx:mail.example\" cannot be an entry of the list allow"},
		{Role, "human resources", "mine.txt:1: \"human resources\" is not a valid local-part"},
		{Role, "\xff", "mine.txt:1: \"\\xff\" is not a valid local-part"},
		{Role, strings.Repeat("a", 65), "is longer than the 64 octets"},
		{Allow, "ok.example\n" + strings.Repeat("a", maxLine+1), "mine.txt:2: the line is longer than 4096 octets"},
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
	if _, err := New(Addition{Kind: Allow, Name: "mine.txt", From: from}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func FuzzParseEntry(f *testing.F) {
	for _, seed := range []string{"throw.example", "mx:a.example", "bob@acme.example", "info@", "@a.example", "müll.example", "a b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []Kind{Role, Free, Disposable, SpamTrap, Allow} {
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
