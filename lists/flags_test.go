package lists_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/lists"
)

func ExampleDefault() {
	l := lists.Default()
	fmt.Println(l.Disposable("inbox.Mailinator.com"), l.Free("gmail.com"), l.Role("Sales-UK"))
	// Output: true true true
}

func ExampleDomains() {
	ours := lists.Domains(lists.KindDisposable, "ours", "throw.example", "Bücher.example")
	l, err := lists.New(ours)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Disposable("xn--bcher-kva.example"), l.Disposable("mail.throw.example"))
	// Output: true true
}

// A feed from elsewhere may have lines that cannot be entries.
func ExampleAddition_skip() {
	feed := lists.Addition{Kind: lists.KindDisposable, Name: "feed.txt", From: strings.NewReader("throw.example\nco.uk\n")}
	feed.Skip = func(err error) { fmt.Println("left out:", err) }
	l, err := lists.New(feed)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Disposable("throw.example"))
	// Output:
	// left out: feed.txt:2: "co.uk" is a public suffix, not a domain of its own
	// true
}

func TestFlags(t *testing.T) {
	l, err := lists.New(lists.Domains(lists.KindDisposable, "", "bücher.example"), lists.Domains(lists.KindAllow, "", "kept.mailinator.com"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		ask  func(string) bool
		text string
		want bool
	}{
		{"disposable", l.Disposable, "MAILINATOR.com.", true},
		{"disposable", l.Disposable, "a.b.mailinator.com", true},
		{"disposable", l.Disposable, "BÜCHER.example", true},
		{"disposable", l.Disposable, "ｍailinator．com", true},
		{"disposable", l.Disposable, "xn--bcher-kva.example", true},
		{"disposable", l.Disposable, "kept.mailinator.com", false},
		{"disposable", l.Disposable, "mailinator.com.example", false},
		{"disposable", l.Disposable, "a@mailinator.com", false},
		{"disposable", l.Disposable, "bü cher.example", false},
		{"disposable", l.Disposable, "", false},
		{"free", l.Free, "Gmail.COM", true},
		{"free", l.Free, "a.gmail.com", false},
		{"free", l.Free, ".", false},
		{"role", l.Role, "INFO", true},
		{"role", l.Role, "info+web", true},
		{"role", l.Role, `"info"`, true},
		{"role", l.Role, `"in\fo"`, true},
		{"role", l.Role, `"`, false},
		{"role", l.Role, `"\"`, false},
		{"role", l.Role, "marketa", false},
		{"role", l.Role, "", false},
	} {
		if got := tt.ask(tt.text); got != tt.want {
			t.Errorf("%s %q: %t", tt.name, tt.text, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { lists.Default().Disposable("a.mailinator.com") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if once, again := lists.Default(), lists.Default(); once != again {
		t.Error("Default makes new lists")
	}
}

func TestDomainsAreDomains(t *testing.T) {
	const digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
	for _, tt := range []struct {
		kind   lists.Kind
		domain string
		want   string
	}{
		{lists.KindRole, "acme.example", "cannot be an entry of the list role"},
		{lists.KindSpamTrap, digest, "has no dot"},
		{lists.KindDisposable, "mx:mx.acme.example", "is not a domain name"},
		{lists.KindAllow, "ann@acme.example", `"ann@acme.example" is not a domain name`},
		{lists.KindFree, "a.example\nb.example", "is not a domain name"},
		{lists.KindFree, strings.Repeat("a.", 3000) + "example", "is not a domain name"},
	} {
		var skipped []error
		addition := lists.Domains(tt.kind, "ours", "", "# comment", tt.domain)
		if _, err := lists.New(addition); err == nil || !strings.HasPrefix(err.Error(), "ours:3: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: %v", tt.kind, tt.domain, err)
		}
		addition.Skip = func(err error) { skipped = append(skipped, err) }
		if _, err := lists.New(addition); err != nil || len(skipped) != 1 {
			t.Errorf("%s %q: %v, %v skipped", tt.kind, tt.domain, err, skipped)
		}
	}
	domains := []string{"a.example"}
	addition := lists.Domains(lists.KindFree, "", domains...)
	domains[0] = "b.example"
	for range 2 { // an addition of domains may be used again
		if l, err := lists.New(addition); err != nil || !l.Free("a.example") || l.Free("b.example") {
			t.Errorf("the slice is not copied, or read once: %v", err)
		}
	}
	if _, err := lists.New(lists.Domains(lists.KindFree, "none")); err != nil {
		t.Error(err)
	}
}

func TestSkip(t *testing.T) {
	long := strings.Repeat("a", 10_000)
	text := "co.uk\nthrow.example\n" + long + "\nnot a domain\n\n# fine\nsecond.example\n" + long
	var lines []string
	feed := lists.Addition{Kind: lists.KindDisposable, From: strings.NewReader(text), Skip: func(err error) {
		place, _, _ := strings.Cut(err.Error(), ":")
		lines = append(lines, place)
	}}
	l, err := lists.New(feed)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, number := range []int{1, 3, 4, 8} {
		want = append(want, fmt.Sprintf("an addition to the list \"disposable\", line %d", number))
	}
	if !slices.Equal(lines, want) || !l.Disposable("throw.example") || !l.Disposable("second.example") {
		t.Errorf("skipped %q", lines)
	}
	broken := errors.New("broken")
	feed.From = &failing{text: "co.uk\nthrow.example\nthi", err: broken}
	if _, err := lists.New(feed); !errors.Is(err, broken) {
		t.Errorf("an error of From is left out: %v", err)
	}
	if _, err := lists.New(lists.Addition{Kind: lists.KindFree}); err == nil || !strings.Contains(err.Error(), "From is nil") {
		t.Errorf("an addition of nothing: %v", err)
	}
}

// failing gives a text and then an error.
type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}
