package metrics

import (
	"encoding/base64"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestSetsAreComplete: a word that is new to its package is not counted as
// another.
func TestSetsAreComplete(t *testing.T) {
	for _, c := range []struct {
		file, of string
		set      set
	}{
		{"../../../reason.go", "Verdict", verdicts},
		{"../../../reason.go", "Reason", reasons},
		{"../../../dnsresolve/findings.go", "Status", dnsStatuses},
		{"../../../smtpprobe/smtp/failure.go", "Kind", failures},
	} {
		declared := constants(t, c.file, c.of)
		for _, word := range declared {
			if c.set.word(word) != word {
				t.Errorf("%s: %s %q is counted as %q", c.file, c.of, word, c.set.word(word))
			}
		}
		if len(declared) != len(c.set) {
			t.Errorf("%s: %d words of type %s, and %d in the set", c.file, len(declared), c.of, len(c.set))
		}
	}
}

// constants are the values of the string constants of a type that a file
// declares.
func constants(t *testing.T, file, of string) (values []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != of {
			return true
		}
		for _, value := range spec.Values {
			text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, text)
		}
		return true
	})
	return values
}

// TestClosedSets: whatever is counted, no series is added beyond a small
// number, and none has a word in it that was not there before.
func TestClosedSets(t *testing.T) {
	const secret = "alice"
	random := rand.New(rand.NewPCG(1, 2))
	hostile := func() string {
		text := make([]byte, 12)
		for i := range text {
			text[i] = byte(random.Uint32()) // quotes, line ends and ill-formed UTF-8 among them
		}
		return []string{secret + "@customer.example", secret + "\"} 1\nrcpt_keys 2", "rcpt_" + secret + base64.StdEncoding.EncodeToString(text),
			secret + string(text)}[random.IntN(4)]
	}
	config := watchAll()
	config.Engine = func() engine.Stats {
		var s engine.Stats
		for range 100 {
			s.SMTP.Paused = append(s.SMTP.Paused, smtpprobe.Paused{
				Provider: hostile(), Egress: hostile(), Until: time.Unix(random.Int64N(2), 0), Interval: time.Duration(random.IntN(2)),
			})
		}
		return s
	}
	config.Pacing = func() (all []smtpprobe.ProviderPace) {
		for range 100 {
			all = append(all, smtpprobe.ProviderPace{
				Rules: pace.Rules{Provider: hostile()}, State: pace.State{Paused: pace.Trouble(hostile()), Slowed: pace.Trouble(hostile())}, Egress: hostile(),
			})
		}
		return all
	}
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	hooks := m.Hooks()
	verify := func() {
		known := rcpt.Reasons()
		reason := known[random.IntN(len(known))]
		verdict := rcpt.Verdict(hostile())
		if random.IntN(2) == 0 {
			reason = rcpt.Reason(hostile())
		} else {
			verdict = []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUnknown}[random.IntN(4)]
		}
		m.Verified(rcpt.Result{Email: hostile(), Local: hostile(), Domain: hostile(), Verdict: verdict, Message: hostile(), Reason: reason, Suggestion: hostile(), Details: &rcpt.Details{Cached: random.IntN(2) == 0, Provider: hostile()}}, time.Duration(random.Int64()))
		hooks.Resolved(t.Context(), dnsresolve.Findings{Domain: hostile(), Status: dnsresolve.Status(hostile()), Lookups: []dnsresolve.Lookup{
			{Name: hostile(), Type: hostile(), Status: dnsresolve.Status(hostile()), Server: hostile()},
		}}, time.Duration(random.Int64()))
		hooks.Probed(t.Context(), smtpprobe.Findings{Sessions: []smtpprobe.Session{
			{Host: hostile(), Failure: &smtp.Failure{Kind: smtp.Kind(hostile()), Text: hostile()}},
		}}, time.Duration(random.Int64()))
		m.Request(hostile(), int(random.Int32()), time.Duration(random.Int64()))
		m.Refused(hostile())
	}

	for range 10_000 {
		verify()
	}
	text := scraped(t, m)
	if strings.Contains(text, secret) || strings.Contains(text, "customer") {
		t.Error("what a client sent is in the metrics")
	}
	before := series(text)
	if before > 650 {
		t.Errorf("%d series", before)
	}
	for range 10_000 {
		verify()
	}
	if after := series(scraped(t, m)); after != before {
		t.Errorf("%d series after 10,000 verifications, %d after 20,000", before, after)
	}
}
