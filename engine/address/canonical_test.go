package address

import (
	"net/url"
	"strings"
	"testing"
)

func canonical(t *testing.T, address string) string {
	t.Helper()
	a, err := Read(address)
	if err != nil {
		t.Fatalf("%q: %v", address, err)
	}
	return a.Canonical()
}

// TestCanonical has a row for each kind of rule: spellings of one mailbox, the
// first of which is the canonical one, and addresses that look like spellings
// of it and are, or may be, somebody else's: each is its own canonical one.
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ provider, same, others string }{
		{"gmail", "janedoe@gmail.com JaneDoe@gmail.com jane.doe@gmail.com j.a.n.e.doe+news@gmail.com janedoe+a+b@gmail.com jane.doe@googlemail.com jane.doe+x.y-z@googlemail.com",
			"jane-doe@gmail.com jane_doe@gmail.com janedoe@gmail.co janedoe@mail.gmail.com janedoe@google.com"},
		{"google_workspace", "jane.doe@acme.example Jane.Doe@acme.example", "janedoe@acme.example jane.doe+news@acme.example"},
		{"outlook", "jane.doe@outlook.com Jane.Doe+news@outlook.com jane.doe+@outlook.com", "janedoe@outlook.com jane.doe@hotmail.com jane.doe@outlook.de jane.doe@live.com jane-doe@outlook.com"},
		{"outlook", "jane@msn.com jane+x@msn.com", "jane@passport.com"},
		{"microsoft_365", "jane@contoso.onmicrosoft.com", "jane+news@contoso.onmicrosoft.com"},
		{"yahoo", "jane@yahoo.com JANE@yahoo.com", "jane-shop@yahoo.com jane-news@yahoo.com jane.doe@yahoo.com jane+x@yahoo.com jane@ymail.com jane@yahoo.co.uk"},
		{"icloud", "jane@icloud.com jane@me.com jane@mac.com jane+news@me.com", "ja.ne@icloud.com jane-x@icloud.com jane@apple.com jane@privaterelay.appleid.com"},
		{"proton", "janedoe@proton.me jane.doe@protonmail.com jane-doe@pm.me Jane_Doe@protonmail.ch janedoe+x-y@proton.me", "janedoe@passmail.net janedoe2@proton.me janedoe@simplelogin.com"},
		{"yandex", "jane-doe@yandex.ru jane.doe@yandex.ru jane.doe@ya.ru jane-doe+x@yandex.com jane.doe@yandex.by", "janedoe@yandex.ru jane_doe@yandex.ru jane-doe@yandex-team.ru +15641234567@yandex.ru"},
		{"fastmail", "jane@fastmail.com jane+news@fastmail.com shop@jane.fastmail.com a.b+c@jane.fastmail.com", "jane@fastmail.fm jane@sent.com x@a.jane.fastmail.com ja.ne@fastmail.com shop@jane.example.com"},
		{"fastmail", "jane_doe@sent.com jane_doe+x@sent.com", "x@jane-doe.sent.com jane-doe@sent.com"},
		{"posteo", "jane@posteo.de jane@posteo.net jane+x@posteo.eu jane@posteo.com", "ja.ne@posteo.de jane-x@posteo.de"},
		{"mailbox_org", "jane@mailbox.org jane+x@mailbox.org", "ja.ne@mailbox.org"},
		{"mailfence", "jane@mailfence.com jane+x@mailfence.com", "jane-x@mailfence.com jane@mf.me"},
		{"runbox", "jane@runbox.com jane+x@runbox.com", "x@jane.runbox.com jane@runbox.no"},
		// Those that have no tags, or of which nothing is known.
		{"gmx", "jane@gmx.de JANE@gmx.de", "jane+x@gmx.de jane@gmx.net jane@web.de ja.ne@gmx.de"},
		{"tuta", "jane@tuta.com", "jane+x@tuta.com jane@tutanota.com"},
		{"zoho", "jane@zohomail.com jane+x@zohomail.com", "ja.ne@zohomail.com jane@zoho.com jane@zoho.example"},
		{"none", "jane.doe@acme.example JANE.DOE@acme.example", "jane.doe+x@acme.example jane-doe@acme.example janedoe@acme.example x@jane.doe.acme.example"},
	} {
		same := strings.Fields(c.same)
		for _, spelling := range same {
			if got := canonical(t, spelling); got != same[0] {
				t.Errorf("%s: %s is %s, want %s", c.provider, spelling, got, same[0])
			}
		}
		for other := range strings.FieldsSeq(c.others) {
			if got := canonical(t, other); got != other {
				t.Errorf("%s: %s, which may be somebody else's, is %s", c.provider, other, got)
			}
		}
	}
}

// TestCanonicalOfWhatNobodyHas: what a provider gives nobody is not brought
// into the form of its names.
func TestCanonicalOfWhatNobodyHas(t *testing.T) {
	long := strings.Repeat("a", 240)
	for in, want := range map[string]string{
		"+news@gmail.com":                   "+news@gmail.com",
		"+news@googlemail.com":              "+news@googlemail.com",
		`"Jane.Doe"@gmail.com`:              "janedoe@gmail.com", // which needs no quotes
		`"Jane Doe+x"@gmail.com`:            `"jane doe+x"@gmail.com`,
		`"a+b@gmail.com"@acme.example`:      `"a+b@gmail.com"@acme.example`,
		"jané.doe@gmail.com":                "jané.doe@gmail.com",
		"JANÉ@acme.example":                 "janÉ@acme.example",
		"jane!doe@gmail.com":                "jane!doe@gmail.com",
		"--@proton.me":                      "--@proton.me",
		"A..b+x@docomo.ne.jp":               `"a..b+x"@docomo.ne.jp`,
		long + "@me.com":                    long + "@me.com",
		strings.Repeat("a", 64) + "@me.com": strings.Repeat("a", 64) + "@icloud.com",
	} {
		if got := canonical(t, in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestMailboxes checks the data of mailboxes.txt: each domain is in one line
// and in the form in which the DNS knows it, and each line says something and
// where that stands.
func TestMailboxes(t *testing.T) {
	owner := map[string]string{}
	for line := range strings.Lines(mailboxesList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, "\t")
		words, _, _ := strings.Cut(rest, "\t")
		rule, known := readSpelling(line), 0
		for _, has := range []bool{rule.one, rule.tag != "", rule.ignored != "", rule.alike != "", rule.subdomain} {
			if has {
				known++
			}
		}
		if known == 0 || known != len(strings.Fields(words)) {
			t.Errorf("%s: rules %q", name, words)
		}
		if rule.tag != "" && (len(rule.tag) != 1 || isName(rule.tag)) {
			t.Errorf("%s: a name may have the tag %q", name, rule.tag)
		}
		if rule.alike != "" && (len(rule.alike) < 2 || rule.alike[0] == '.' || strings.ContainsAny(rule.alike, rule.ignored)) {
			t.Errorf("%s: alike %q", name, rule.alike)
		}
		for _, domain := range rule.domains {
			if form, err := Domain(domain); err != nil || form != domain {
				t.Errorf("%s: domain %q: %q, %v", name, domain, form, err)
			}
			if other, taken := owner[domain]; taken {
				t.Errorf("%s is %s's and %s's", domain, other, name)
			}
			owner[domain] = name
		}
		if len(rule.domains) == 0 || len(rule.sources) == 0 {
			t.Errorf("%s has no domain, or no source", name)
		}
		for _, source := range rule.sources {
			if u, err := url.Parse(source); err != nil || u.Scheme != "https" || u.Host == "" {
				t.Errorf("%s: source %q", name, source)
			}
		}
	}
	if len(owner) < 200 {
		t.Errorf("%d domains", len(owner))
	}
}

// FuzzCanonical checks that the canonical form of an address is an address, as
// regular as it, and its own canonical form; and that case makes no difference.
func FuzzCanonical(f *testing.F) {
	for _, local := range []string{"Jane.Doe+x", "+x", "a..b", `"a b+c"`, "-.-", "jané", `"a+b@c"`, "jane_doe-x", strings.Repeat("a", 245)} {
		for _, domain := range []string{"gmail.com", "pm.me", "ya.ru", "me.com", "jane.fastmail.com", "a_b.sent.com", "posteo.eu", "acme.example"} {
			f.Add(local + "@" + domain)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Read(s)
		if err != nil {
			return
		}
		canonical, err := Read(a.Canonical())
		if err != nil || canonical.Mailbox() != a.Canonical() || len(canonical.Irregular()) > len(a.Irregular()) {
			t.Fatalf("%q: %q is no address, or less regular: %+v, %v", s, a.Canonical(), canonical.Irregular(), err)
		}
		if again := canonical.Canonical(); again != a.Canonical() {
			t.Errorf("%q: %q becomes %q", s, a.Canonical(), again)
		}
		if shout, err := Read(strings.Map(upper, a.Mailbox())); err != nil || shout.Canonical() != a.Canonical() {
			t.Errorf("%q: %q, in upper case %q, %v", s, a.Canonical(), shout.Canonical(), err)
		}
	})
}

func upper(c rune) rune {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
