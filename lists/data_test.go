package lists

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lists/internal/domainname"
	"github.com/rcpt/rcpt/lists/internal/listfile"
)

func embeddedFiles(t *testing.T) map[string]listfile.File {
	files := make(map[string]listfile.File)
	for _, text := range []string{roleText, freeText, disposableText, spamTrapText, allowText, sharedHostsText} {
		f, err := listfile.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = f
	}
	return files
}

func TestDataHeaders(t *testing.T) {
	for name, f := range embeddedFiles(t) {
		if f.Len() != f.Count || f.Count == 0 {
			t.Errorf("%s: header counts %d entries, there are %d", name, f.Count, f.Len())
		}
		if f.About == "" || f.Date == "" || f.License == "" {
			t.Errorf("%s: header lacks something: %+v", name, f.Header)
		}
		for license := range strings.SplitSeq(f.License, ", ") {
			if license != "MIT" && license != "ISC" && license != "CC0-1.0" {
				t.Errorf("%s: licence %s", name, license)
			}
		}
	}
}

func TestDataIsSortedAndEveryEntryHasAnOrigin(t *testing.T) {
	for name, f := range embeddedFiles(t) {
		last := ""
		for e := range f.All() {
			if e.Name <= last {
				t.Fatalf("%s: %q stands behind %q", name, e.Name, last)
			}
			if e.Note == "" || f.Origin(e.Note) == "" {
				t.Errorf("%s: %q comes from nowhere", name, e.Name)
			}
			if e.Name != strings.ToLower(e.Name) {
				t.Errorf("%s: %q is not in lower case", name, e.Name)
			}
			last = e.Name
		}
	}
}

func TestDataDomains(t *testing.T) {
	files := embeddedFiles(t)
	for _, name := range []string{"free", "disposable", "allow", "shared-hosts"} {
		for e := range files[name].All() {
			if got, err := domainname.Normalize(e.Name); err != nil || got != e.Name {
				t.Errorf("%s: %q is %q in the form of lists (%v)", name, e.Name, got, err)
			}
			if domainname.IsICANNSuffix(e.Name) {
				t.Errorf("%s: %q is a public suffix", name, e.Name)
			}
		}
	}
}

func TestDataAgreesWithItself(t *testing.T) {
	l, files := embeddedLists(t), embeddedFiles(t)
	for _, name := range []string{"allow", "free"} {
		for e := range files[name].All() {
			if m := l.Match("john", e.Name); strings.Contains(entriesOf(m), "disposable:") {
				t.Errorf("%s is in %s, and disposable", e.Name, name)
			}
		}
	}
	for e := range files["disposable"].All() {
		if _, allowed := findUp(files["allow"].Table, e.Name); allowed {
			t.Errorf("%s is disposable and allowed", e.Name)
		}
	}
}

// Names that every edition of the lists must have, or must never have.
func TestDataCanaries(t *testing.T) {
	files := embeddedFiles(t)
	for _, tt := range []struct {
		list, names string
		want        bool
	}{
		{"disposable", "mailinator.com guerrillamail.com yopmail.com 10minutemail.com temp-mail.org trashmail.com", true},
		{"disposable", "gmail.com outlook.com yahoo.com icloud.com proton.me gmx.de qq.com google.com microsoft.com", false},
		{"disposable", "co.uk com.br ac.uk edu.pl web.id", false},
		{"free", "gmail.com proton.me pm.me tuta.com kakao.com mailbox.org internet.ru zoho.eu orange.fr att.net verizon.net", true},
		{"free", "facebook.com alibaba.com comcast.com orange.com att.com verizon.com zohocorp.com mit.edu nus.edu.sg", false},
		{"role", "info marketing sales support abuse noc security postmaster hostmaster usenet news webmaster www uucp ftp", true},
		{"role", "2024 123 asdf per alexa facebook", false},
	} {
		for name := range strings.FieldsSeq(tt.names) {
			if _, got := files[tt.list].Find(name); got != tt.want {
				t.Errorf("%s in %s: %t", name, tt.list, got)
			}
		}
	}
}

func TestInfo(t *testing.T) {
	got := make(map[Kind]Info)
	for _, i := range embeddedLists(t).Info() {
		got[i.Kind] = i
		if i.Count == 0 || i.Source == "" || i.License == "" || i.Date == "" {
			t.Errorf("incomplete: %+v", i)
		}
	}
	want := Info{
		Kind:    Disposable,
		Count:   got[Disposable].Count,
		Source:  "disposable-domains 2.0.1, disposable-email-domains-js 1.26.0",
		License: "MIT, CC0-1.0",
		Date:    got[Disposable].Date,
	}
	if diff := cmp.Diff(want, got[Disposable]); diff != "" {
		t.Error(diff)
	}
	if len(got) != 5 {
		t.Errorf("%d lists, want 5", len(got))
	}
}
