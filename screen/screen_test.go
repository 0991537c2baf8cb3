package screen_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/screen"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		text, email, suggestion string
		verdict                 rcpt.Verdict
		reason                  rcpt.Reason
	}{
		{"jane@example.com", "jane@example.com", "", rcpt.VerdictUnknown, rcpt.ReasonLevelReached},
		{" Jane <jane@Example.com> ", "jane@Example.com", "", rcpt.VerdictUnknown, rcpt.ReasonLevelReached},
		{"jane@gmail", "jane@gmail", "jane@gmail.com", rcpt.VerdictUnknown, rcpt.ReasonUnsupportedAddress},
		{"jane@[192.0.2.1]", "jane@[192.0.2.1]", "", rcpt.VerdictUnknown, rcpt.ReasonUnsupportedAddress},
		{"jane@gmial.com", "jane@gmial.com", "jane@gmail.com", rcpt.VerdictUnknown, rcpt.ReasonLevelReached},
		{"jane@gmail,com", "jane@gmail,com", "jane@gmail.com", rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax},
		{"jane", "jane", "", rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax},
		{"", "", "", rcpt.VerdictUnknown, rcpt.ReasonNoAddress},
		{"n/a", "n/a", "", rcpt.VerdictUnknown, rcpt.ReasonNoAddress},
		{"a@b.example, c@d.example", "a@b.example, c@d.example", "", rcpt.VerdictUnknown, rcpt.ReasonSeveralAddresses},
	} {
		r := screen.Check(tt.text)
		if r.Email != tt.email || r.Suggestion != tt.suggestion || r.Verdict != tt.verdict || r.Reason != tt.reason || r.Message == "" {
			t.Errorf("%q: %+v", tt.text, r)
		}
		if refused := r.Reason.EndsAt() == rcpt.StepSyntax; refused != (tt.reason != rcpt.ReasonLevelReached) {
			t.Errorf("%q: a form refuses it: %v", tt.text, refused)
		}
	}
	if r := screen.Check("info@mailinator.com"); !r.Role || !r.Disposable || r.Free {
		t.Errorf("flags: %+v", r)
	}
}

func TestWith(t *testing.T) {
	own, err := lists.New(lists.Domains(lists.KindDisposable, "own", "thrown.example"),
		lists.Addition{Kind: lists.KindSpamTrap, Name: "traps", From: strings.NewReader("bait@trap.example\n")})
	if err != nil {
		t.Fatal(err)
	}
	if r := screen.With(own, "jane@thrown.example"); !r.Disposable || screen.Check("jane@thrown.example").Disposable {
		t.Errorf("disposable by the list of one's own: %+v", r)
	}
	if r := screen.With(nil, "jane@mailinator.com"); !r.Disposable {
		t.Errorf("without lists: %+v", r)
	}
	if r := screen.With(own, "bait@trap.example"); !r.SpamTrap || r.Reason != rcpt.ReasonSpamTrap {
		t.Errorf("spam trap: %+v", r)
	}
}

// FuzzAsTheEngine: the engine gives the same result at its lowest level.
func FuzzAsTheEngine(f *testing.F) {
	for _, text := range []string{
		"jane@example.com", "Jane <jane@example.com>", "jane@gmail", "jane@[192.0.2.1]", "a@b.example; c@d.example", "N/A", "", "info@bücher.example",
		"a..b@docomo.ne.jp", "a..b@gmail.com", "x_y@a_b.example", strings.Repeat("l", 70) + "@example.com", "jane@xn--a.example", "jane@gmial.com", "\xff@x",
		"mailto:jane@example.com", `"a b"@example.com`, "jane@example.com.",
	} {
		f.Add(text)
	}
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		f.Fatal(err)
	}
	times := cmp.Options{cmpopts.IgnoreFields(rcpt.Result{}, "CheckedAt"), cmpopts.IgnoreFields(rcpt.Details{}, "Duration"), cmpopts.EquateEmpty()}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := verifier.VerifyWith(t.Context(), text, engine.VerifyOptions{Clean: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, screen.Check(text), times); diff != "" {
			t.Errorf("%q (-engine +screen):\n%s", text, diff)
		}
	})
}

// TestCost holds what a form brings into its program.
func TestCost(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	// How many packages the standard library is made of is the toolchain's: of
	// the 128 with Go 1.26, and 135 with Go 1.27, these are not of it.
	const most = 18
	if others := slices.DeleteFunc(slices.Clone(deps), isStandard); len(others) > most {
		t.Errorf("%d packages besides the standard library, at most %d: %v", len(others), most, others)
	}
	const module = "github.com/rcpt/rcpt/"
	for _, dep := range deps {
		below, ours := strings.CutPrefix(dep, module)
		known := below == "lists" || below == "screen" || below == "engine/address" || strings.HasPrefix(below, "internal/")
		if dep == "net" || strings.HasPrefix(dep, "net/http") || strings.HasPrefix(dep, "golang.org/x/text/encoding") || ours && !known {
			t.Errorf("screen needs %s", dep)
		}
	}
}

// isStandard reports whether a package is one of the standard library: the
// others are found at a domain.
func isStandard(path string) bool {
	domain, _, _ := strings.Cut(path, "/")
	return !strings.Contains(domain, ".")
}

func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{"good": "jane.doe@example.com", "slip": "jane@gmial.com", "person": "Jane Doe <jane@example.com>"} {
		b.Run(name, func(b *testing.B) {
			screen.Check(text) // reads the lists
			b.ReportAllocs()
			for b.Loop() {
				screen.Check(text)
			}
		})
	}
}
