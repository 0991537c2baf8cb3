package lists

import (
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

func TestInfo(t *testing.T) {
	l := embeddedLists(t, addition(KindDisposable, "throw.example\nmx:backend.example\n"), addition(KindSpamTrap, "bob@acme.example"))
	count := make(map[Kind]int)
	for _, kind := range []Kind{KindRole, KindFree, KindDisposable, KindRelay, KindSpamTrap, KindAllow} {
		for range l.Entries(kind) {
			count[kind]++
		}
	}
	for _, i := range l.Info() {
		if n, isList := count[i.Kind]; isList && n != i.Count && i.Kind != KindDisposable && i.Kind != KindSpamTrap {
			t.Errorf("%s: %d entries, said to be %d", i.Kind, n, i.Count)
		}
		if i.Count == 0 || i.Curated > i.Count || i.About == "" || len(i.Sources) == 0 {
			t.Errorf("incomplete: %+v", i)
		}
		for _, s := range i.Sources {
			licensed := slices.Contains([]string{"MIT", "ISC", "CC0-1.0", "BSD-3-Clause", "Apache-2.0"}, s.License)
			if s.Name == "" || s.Count == 0 || licensed == (s.Name == "mine.txt") {
				t.Errorf("%s: source %+v", i.Kind, s)
			}
		}
		if last := i.Sources[len(i.Sources)-1]; i.Kind == KindDisposable && (last.Name != "mine.txt" || last.Count != 2) {
			t.Errorf("the user's list of disposable domains: %+v", last)
		}
	}
	if l.Edition().Date() == "" || len(l.Edition().SHA256()) != 64 {
		t.Error("the edition lacks its date or checksum")
	}
}

func TestEveryEntryTellsWhereItComesFrom(t *testing.T) {
	l := embeddedLists(t)
	for _, kind := range []Kind{KindRole, KindFree, KindDisposable, KindRelay, KindSpamTrap, KindAllow} {
		for m := range l.Entries(kind) {
			if m.Source == "" || m.Confidence == "" {
				t.Fatalf("incomplete: %+v", m)
			}
			if m.Entry != strings.ToLower(m.Entry) {
				t.Errorf("%s: %q is not in lower case", kind, m.Entry)
			}
		}
	}
}

func TestDomainsAreInTheFormOfLists(t *testing.T) {
	l := embeddedLists(t)
	for _, kind := range []Kind{KindFree, KindDisposable, KindRelay, KindAllow} {
		for m := range l.Entries(kind) {
			name := strings.TrimPrefix(m.Entry, hostPrefix)
			if got, err := domainname.Normalize(name); err != nil || got != name {
				t.Errorf("%s: %q is %q in the form of lists (%v)", kind, name, got, err)
			}
			if domainname.IsICANNSuffix(name) {
				t.Errorf("%s: %q is a public suffix", kind, name)
			}
		}
	}
}

// TestListsAgree checks that no kept, free or relay domain is disposable,
// neither itself nor through a parent.
func TestListsAgree(t *testing.T) {
	l := embeddedLists(t)
	for _, kind := range []Kind{KindAllow, KindFree, KindRelay} {
		for m := range l.Entries(kind) {
			if got := entriesOf(l.Match("john", m.Entry)); strings.Contains(got, "disposable:") {
				t.Errorf("%s is in %s: %s", m.Entry, kind, got)
			}
		}
	}
	for m := range l.Entries(KindDisposable) {
		if host, isHost := strings.CutPrefix(m.Entry, hostPrefix); isHost && l.saysNothing(host) {
			t.Errorf("%s serves throw-away domains and all kinds of domains", host)
		}
	}
}

// TestMistypedProvidersAreNotDisposable checks that the domain of a mistyped
// provider is not disposable, unless a service was seen to use it.
func TestMistypedProvidersAreNotDisposable(t *testing.T) {
	l := embeddedLists(t)
	for m := range l.Entries(KindDisposable) {
		meant, ok := l.Suggest(m.Entry)
		seen := strings.Contains(m.Source, "castle") || strings.Contains(m.Source, "fakefilter") || strings.Contains(m.Source, "rcpt")
		if ok && !seen {
			t.Errorf("%s looks like %s: run the generator", m.Entry, meant)
		}
	}
}

// Names that every edition must have, or must never have.
func TestNamesInAndOut(t *testing.T) {
	l := embeddedLists(t)
	for _, tt := range []struct {
		list  Kind
		names string
		want  bool
	}{
		{KindDisposable, "mailinator.com guerrillamail.com yopmail.com 10minutemail.com temp-mail.org trashmail.com", true},
		{KindDisposable, "gmail.com outlook.com yahoo.com icloud.com proton.me gmx.de qq.com google.com microsoft.com", false},
		{KindDisposable, "co.uk com.br ac.uk edu.pl web.id ox.ac.uk uw.edu.pl", false},
		{KindDisposable, "privaterelay.appleid.com duck.com mozmail.com simplelogin.com addy.io passmail.net", false},
		{KindRelay, "privaterelay.appleid.com duck.com mozmail.com simplelogin.com addy.io passmail.net", true},
		{KindFree, "gmail.com proton.me pm.me tuta.com kakao.com mailbox.org internet.ru zoho.eu orange.fr att.net verizon.net comcast.net", true},
		{KindFree, "facebook.com alibaba.com comcast.com orange.com att.com verizon.com zohocorp.com mit.edu nus.edu.sg mailinator.com", false},
	} {
		for name := range strings.FieldsSeq(tt.names) {
			got := slices.ContainsFunc(l.Match("john", name), func(m Match) bool { return m.List == tt.list })
			if got != tt.want {
				t.Errorf("%s in %s: %t", name, tt.list, got)
			}
		}
	}
}
