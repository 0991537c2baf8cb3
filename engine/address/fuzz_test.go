package address

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/idna"
)

func FuzzParse(f *testing.F) {
	for _, c := range refusals {
		f.Add(c.in)
	}
	f.Add("First.Last@Example.COM")
	f.Add(`"a\"..\\ b"@bücher.example`)
	f.Add("می\u200cخواهم@例子。公司")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			checkError(t, s, err)
			return
		}
		if !strings.HasPrefix(s, a.Local()+"@") {
			t.Errorf("local-part %q is not as given", a.Local())
		}
		checkMailbox(t, a)
		checkDomain(t, a.Domain())
		if d, err := Domain(s[len(a.Local())+1:]); err != nil || d != a.Domain() {
			t.Errorf("%q alone is %q, error %v; in the address %q", s[len(a.Local())+1:], d, err, a.Domain())
		}
		again, err := Parse(a.Mailbox())
		if err != nil {
			t.Fatalf("%q does not parse again: %v", a.Mailbox(), err)
		}
		if again.Mailbox() != a.Mailbox() || again.Unquoted() != a.Unquoted() || again.NeedsSMTPUTF8() != a.NeedsSMTPUTF8() {
			t.Errorf("%+v becomes %+v", a, again)
		}
	})
}

// FuzzRead checks that what Read returns is safe to put on the wire, and the
// same when it is read again; and that it notes something exactly where Parse
// refuses.
func FuzzRead(f *testing.F) {
	for _, c := range refusals {
		f.Add(c.in)
	}
	for _, s := range []string{
		"a..b@docomo.ne.jp", `a[\]..>@ezweb.ne.jp`, "x@a_b.-c-.example.", "x@xn--a.אa.example", "x@👩\u200d💻.ws", `"a\"> "@a_b.example`,
		strings.Repeat("a", 100) + "@example.com",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Read(s)
		if err != nil {
			checkError(t, s, err)
			if _, err := Parse(s); err == nil {
				t.Errorf("%q: Parse accepts it", s)
			}
			return
		}
		if strictly, err := Parse(s); (err == nil) != (len(a.Irregular()) == 0) || err == nil && strictly.Mailbox() != a.Mailbox() {
			t.Errorf("%q: Parse says %q, %v; Read %q, %v", s, strictly.Mailbox(), err, a.Mailbox(), a.Irregular())
		}
		for _, e := range a.Irregular() {
			checkError(t, s, &e)
		}
		checkWire(t, a.Mailbox())
		if again, err := Read(a.Mailbox()); err != nil || again.Mailbox() != a.Mailbox() || again.Unquoted() != a.Unquoted() {
			t.Errorf("%q becomes %q, and that %q, %v", s, a.Mailbox(), again.Mailbox(), err)
		}
		if b, err := Read("x@" + s[len(a.Local())+1:]); err != nil || b.Domain() != a.Domain() {
			t.Errorf("%q: its domain behind another local-part is %q, %v; in the address %q", s, b.Domain(), err, a.Domain())
		}
	})
}

// onTheWire is a mailbox that stays one argument between angle brackets: a
// local-part of visible characters, or in quotes, and a domain of host names.
var onTheWire = regexp.MustCompile(`^([^\x00-\x20\x7f-\x{9f}"(),:;<>@\[\\\]]+|"([^\x00-\x1f\x7f-\x{9f}"\\]|\\["\\])*")@[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$`)

func checkWire(t *testing.T, mailbox string) {
	t.Helper()
	if len(mailbox) > 254 || !onTheWire.MatchString(mailbox) || strings.ContainsAny(mailbox, "\u2028\u2029\ufffd\u202e\u200b\ufeff") {
		t.Errorf("%q (%d octets) is not safe on the wire", mailbox, len(mailbox))
	}
}

func FuzzDomain(f *testing.F) {
	for _, s := range []string{"example.com", "Bücher.example", "xn--bcher-kva.example", "ａ。א", "é--x.xn--a--x-9oa", "ب\u200cب.ir", "faß.de", "STRAẞE.de", "xn--bücher-kva.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Domain(s)
		if err != nil {
			checkError(t, s, err)
			return
		}
		checkDomain(t, d)
		if isASCII(s) && d != strings.ToLower(s) {
			t.Errorf("%q, which has its final form but for the case of letters, becomes %q", s, d)
		}
		if again, err := Domain(d); err != nil || again != d {
			t.Errorf("%q becomes %q, error %v", d, again, err)
		}
		unicode, err := idna.Punycode.ToUnicode(d)
		if back, again := Domain(unicode); err != nil || again != nil || back != d {
			t.Errorf("%q is %q in Unicode, which becomes %q, errors %v, %v", d, unicode, back, err, again)
		}
	})
}

func checkError(t *testing.T, s string, err error) {
	t.Helper()
	e := err.(*Error)
	if e.Reason == "" || e.Detail == "" || e.Pos < 0 || e.Pos > len(s) {
		t.Errorf("%q: %#v", s, e)
	}
	for _, r := range e.Detail {
		if r < ' ' || r > '~' {
			t.Errorf("%q: detail %q is not plain ASCII", s, e.Detail)
		}
	}
}

func checkMailbox(t *testing.T, a Address) {
	t.Helper()
	m := a.Mailbox()
	if n := len(m); n > 254 || n-len("@")-len(a.Domain()) > 64 {
		t.Errorf("%q is too long", m)
	}
	for _, r := range m {
		if r < ' ' || 0x7f <= r && r <= 0x9f || r == '\ufffd' {
			t.Errorf("%q holds %U", m, r)
		}
	}
}

func checkDomain(t *testing.T, d string) {
	t.Helper()
	labels := strings.Split(d, ".")
	if len(d) > 253 || len(labels) < 2 {
		t.Errorf("%q: %d octets, %d labels", d, len(d), len(labels))
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "-") != label ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("label %q of %q", label, d)
		}
	}
}
