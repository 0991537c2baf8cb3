package engine_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// irregular are addresses that the grammar forbids, and how a mail host is
// asked about them.
var irregular = []struct{ given, rcpt string }{
	{strings.Repeat("a", 65) + "@long.test", strings.Repeat("a", 65) + "@long.test"},
	{strings.Repeat("b", 244) + "@long.test", strings.Repeat("b", 244) + "@long.test"},
	{"prvs=1a2b3c4d=bounces+SRS=abcdefghijklmnop=example.org=somebody.with.a.name@long.test", "prvs=1a2b3c4d=bounces+SRS=abcdefghijklmnop=example.org=somebody.with.a.name@long.test"},
	{"IMCEAEX-_O=ORG_OU=SITE+28FYDIBOHF23SPDLT+29_CN=RECIPIENTS_CN=JANE+2EDOE@long.test", "IMCEAEX-_O=ORG_OU=SITE+28FYDIBOHF23SPDLT+29_CN=RECIPIENTS_CN=JANE+2EDOE@long.test"},
	{`"` + strings.Repeat("a b", 30) + `"@long.test`, `"` + strings.Repeat("a b", 30) + `"@long.test`},
	{"jane[1]@long.test", `"jane[1]"@long.test`},
	{`corp\jane@long.test`, `"corp\\jane"@long.test`},
	{"jane@long.test.", "jane@long.test"},

	{"a..b@docomo.ne.jp", `"a..b"@docomo.ne.jp`},
	{"a.@docomo.ne.jp", `"a."@docomo.ne.jp`},
	{"a...b..c.@docomo.ne.jp", `"a...b..c."@docomo.ne.jp`},
	{".a@ezweb.ne.jp", `".a"@ezweb.ne.jp`},
	{"a_b.-.@ezweb.ne.jp", `"a_b.-."@ezweb.ne.jp`},

	{"jane@client_name.test", "jane@client_name.test"},
	{"jane@_.test", "jane@_.test"},
	{"jane@Client_Name.test", "jane@client_name.test"},
	{"jane@-shop-.test", "jane@-shop-.test"},
	{"jane@xn--abc-.test", "jane@xn--abc-.test"},
	{"jane@éa--x.test", "jane@xn--a--x-9oa.test"},
	{"jane@אa.test", "jane@xn--a-zhc.test"},
	{"jane@👩\u200d💻.test", "jane@xn--1ug1855pcha.test"},
}

// TestIrregular verifies irregular addresses one by one and together, at hosts
// that know them and at hosts that do not: the host's word decides.
func TestIrregular(t *testing.T) {
	known := map[string]bool{} // without quotes, as a fake host reads them
	for _, a := range irregular {
		mailbox, err := address.Read(a.given)
		if err != nil || mailbox.Mailbox() != a.rcpt {
			t.Fatalf("%q is %q: %v", a.given, mailbox.Mailbox(), err)
		}
		known[mailbox.Unquoted()+"@"+mailbox.Domain()] = true
	}
	knows := func(_ *smtptest.Visit, rcpt string) string {
		if known[rcpt] {
			return "250 2.1.5 Ok"
		}
		return ""
	}
	for verdict, host := range map[rcpt.Verdict]*smtptest.Host{
		rcpt.VerdictDeliverable: {RCPTFunc: knows}, rcpt.VerdictUndeliverable: {}, rcpt.VerdictAcceptAll: {CatchAll: true},
	} {
		t.Run(string(verdict), func(t *testing.T) {
			world := irregularWorld(t, host)
			verifier := world.Verifier(engine.Config{})
			var all []string
			for _, a := range irregular {
				all = append(all, a.given)
				result, err := verifier.Verify(t.Context(), a.given)
				checkIrregular(t, result, err, verdict)
			}
			for _, outcome := range verifier.VerifyAll(t.Context(), all, engine.VerifyOptions{}) {
				checkIrregular(t, outcome.Result, outcome.Err, verdict)
			}
			said := ""
			for _, session := range world.Mail.Sessions() {
				said += session.Client
			}
			for _, a := range irregular {
				if !strings.Contains(said, "RCPT TO:<"+a.rcpt+">\r\n") {
					t.Errorf("no host was asked about %s", a.rcpt)
				}
			}
		})
	}
}

// TestIrregularUnasked checks that nothing is proven about an irregular address
// where nobody was asked, and that the message says so.
func TestIrregularUnasked(t *testing.T) {
	for _, level := range []engine.Level{engine.LevelSyntax, engine.LevelDNS} {
		verifier := irregularWorld(t, &smtptest.Host{}).Verifier(engine.Config{Level: level})
		for _, a := range irregular {
			result, err := verifier.Verify(t.Context(), a.given)
			checkIrregular(t, result, err, rcpt.VerdictUnknown)
			if result.Reason != rcpt.ReasonLevelReached || !strings.Contains(result.Message, result.Details.Irregular[0].Detail) {
				t.Errorf("%s, %.40q: %s, %s", level, a.given, result.Reason, result.Message)
			}
		}
	}
}

// TestIrregularEvidence checks that stored evidence is judged as before.
func TestIrregularEvidence(t *testing.T) {
	verifier := irregularWorld(t, &smtptest.Host{CatchAll: true}).Verifier(engine.Config{})
	for _, a := range irregular {
		evidence, err := verifier.Gather(t.Context(), a.given)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := json.Marshal(evidence)
		var read engine.Evidence
		if err == nil {
			err = json.Unmarshal(stored, &read)
		}
		policy := engine.Policy{AllowNets: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}
		got, want := engine.Decide(read, policy), engine.Decide(evidence, policy)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || got.Verdict != rcpt.VerdictAcceptAll {
			t.Errorf("%.40q: %s, %v (-before +after):\n%s", a.given, got.Verdict, err, diff)
		}
	}
}

// TestIrregularWithoutControl checks that a refusal for the syntax proves
// nothing about a local-part where no other mailbox was answered.
func TestIrregularWithoutControl(t *testing.T) {
	given := irregular[0].given
	refuses := func(_ *smtptest.Visit, rcpt string) string {
		if rcpt == given {
			return "501 5.1.3 Local part is too long"
		}
		return ""
	}
	verifier := irregularWorld(t, &smtptest.Host{RCPTFunc: refuses}).Verifier(engine.Config{})
	evidence, err := verifier.Gather(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	policy := engine.Policy{AllowNets: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}
	if got := engine.Decide(evidence, policy); got.Reason != rcpt.ReasonInvalidSyntax {
		t.Errorf("with a control: %s, want %s", got.Reason, rcpt.ReasonInvalidSyntax)
	}
	for i := range evidence.SMTP.Sessions {
		evidence.SMTP.Sessions[i].Control = nil
	}
	if got := engine.Decide(evidence, policy); got.Reason != rcpt.ReasonAmbiguousRefusal {
		t.Errorf("without a control: %s, want %s", got.Reason, rcpt.ReasonAmbiguousRefusal)
	}
}

// TestLongestDomain checks that a domain that leaves no room for a random
// mailbox is asked about without one.
func TestLongestDomain(t *testing.T) {
	domain := strings.Repeat("abc.", 61) + "test"
	world := enginetest.New(t)
	world.DNS = dnstest.New(domain + ". MX 10 mx.test.\nmx.test. A 192.0.2.1\n")
	world.Mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"jane": smtptest.Accepts}})
	verifier := world.Verifier(engine.Config{})
	for given, want := range map[string]rcpt.Reason{
		"jane@" + domain: rcpt.ReasonControlInconclusive, "joe@" + domain: rcpt.ReasonMailboxNotFound,
	} {
		if result, err := verifier.Verify(t.Context(), given); err != nil || result.Reason != want {
			t.Errorf("%.5s: %s (%v), want %s", given, result.Reason, err, want)
		}
	}
}

// irregularWorld has the domains of the addresses at one mail host.
func irregularWorld(t *testing.T, host smtptest.Handler) *enginetest.World {
	t.Helper()
	world := enginetest.New(t)
	added := map[string]bool{}
	for _, a := range irregular {
		domain := a.rcpt[strings.LastIndexByte(a.rcpt, '@')+1:]
		if !added[domain] {
			added[domain] = true
			world.Domain(domain, host)
		}
	}
	return world
}

func checkIrregular(t *testing.T, result rcpt.Result, err error, want rcpt.Verdict) {
	t.Helper()
	if err != nil || result.Verdict != want || len(result.Details.Irregular) == 0 || result.Local == "" || result.Domain == "" {
		t.Errorf("%.40q: %s, %s, irregular %v (%v); want %s", result.Email, result.Verdict, result.Reason, result.Details.Irregular, err, want)
	}
}

// TestIrregularIsSafe checks that nothing of an address ends its argument or
// its command: the fake mail hosts fail the test at a command that breaks the
// grammar of SMTP.
func TestIrregularIsSafe(t *testing.T) {
	world := irregularWorld(t, &smtptest.Host{CatchAll: true})
	world.DNS = dnstest.New("*.ne.jp. MX 10 mx.long.test.\nlong.test. MX 10 mx.long.test.\nmx.long.test. A 192.0.2.1\n")
	verifier := world.Verifier(engine.Config{})
	for _, given := range []string{
		"a b..c@docomo.ne.jp", "a..b> SIZE=1@docomo.ne.jp", "a..b\r\nDATA@docomo.ne.jp", "a..b\x00@docomo.ne.jp", "a..<b@docomo.ne.jp",
		"a..b@docomo.ne.jp>", "a..b@docomo.ne.jp SIZE=1", "a..b@docomo.ne.jp\r\nRCPT TO:<x@long.test>", "a..\"b@docomo.ne.jp", "a..b\\@docomo.ne.jp",
		"a[> \r\n@long.test", `a\" b@long.test`, "a@long_\r\n.test", "a@long_ .test", "a\u2028[@long.test", "a[\u0085@long.test",
	} {
		if result, err := verifier.Verify(t.Context(), given); err != nil || result.Verdict == rcpt.VerdictDeliverable {
			t.Errorf("%q: %s, %s (%v)", given, result.Verdict, result.Reason, err)
		}
	}
	for _, session := range world.Mail.Sessions() {
		for line := range strings.Lines(session.Client) {
			if path, found := strings.CutPrefix(line, "RCPT TO:<"); found && !strings.HasPrefix(path, `"a..b\\"@docomo.ne.jp>`) && !strings.HasPrefix(path, enginetest.Control) {
				t.Errorf("a host was asked %q", line)
			}
		}
	}
}
