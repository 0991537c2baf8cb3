package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// severalZone has a domain with two mail exchangers, of which one is
// Microsoft's, and one without mail hosts.
const severalZone = `
example.test.  MX 10 mx.example.test.
example.test.  MX 20 example-test.mail.protection.outlook.com.
mx.example.test. A 192.0.2.1
example-test.mail.protection.outlook.com. A 192.0.2.2
other.test.    MX 10 mx.other.test.
mx.other.test. A 192.0.2.3
private.test.  MX 10 mx.private.test.
private.test.  MX 20 mx2.private.test.
mx.private.test. A 192.0.2.3
mx2.private.test. A 10.0.0.1
`

// TestNoAsk checks whom the rules leave out, that nothing of those is dialled,
// and that stored evidence is judged in the same way.
func TestNoAsk(t *testing.T) {
	const first, second = "192.0.2.1:25", "192.0.2.2:25"
	for _, tt := range []struct {
		name, address string
		rules         []string
		level         engine.Level
		reason        rcpt.Reason
		said          string // in the message
		dials         []string
		queries       bool
	}{
		{"no rule", "a@example.test", nil, "", rcpt.ReasonCatchAll, "", []string{first}, true},
		{"another domain", "a@example.test", []string{"domain:other.test", "domain:xexample.test", "domain:a.example.test", "mx:other.test", "provider:gmail"}, "", rcpt.ReasonCatchAll, "", []string{first}, true},
		{"domain", "a@example.test", []string{"domain:example.test"}, "", rcpt.ReasonNotAsked, "exclude domain:example.test.", nil, false},
		{"domain, spelled otherwise", "a@Example.test", []string{"domain:EXAMPLE.test."}, "", rcpt.ReasonNotAsked, "exclude domain:example.test.", nil, false},
		{"subdomain", "a@mail.example.test", []string{"domain:example.test"}, "", rcpt.ReasonNotAsked, "exclude domain:example.test.", nil, false},
		{"top-level domain", "a@example.test", []string{"domain:test"}, "", rcpt.ReasonNotAsked, "exclude domain:test.", nil, false},
		{"one mail exchanger", "a@example.test", []string{"mx:mx.example.test"}, "", rcpt.ReasonCatchAll, "", []string{second}, true},
		{"one by its provider", "a@example.test", []string{"provider:microsoft_365"}, "", rcpt.ReasonCatchAll, "", []string{first}, true},
		{"both", "a@example.test", []string{"provider:microsoft_365", "mx:example.test"}, "", rcpt.ReasonNotAsked, "exclude mx:example.test and provider:microsoft_365.", nil, true},
		{"names below", "a@example.test", []string{"mx:mail.protection.outlook.com", "mx:test"}, "", rcpt.ReasonNotAsked, "exclude mx:test and mx:mail.protection.outlook.com.", nil, true},
		{"the rest is private", "a@private.test", []string{"mx:mx.private.test"}, "", rcpt.ReasonNotAsked, "exclude mx:mx.private.test.", nil, true},
		{"no such domain", "a@nowhere.test", []string{"mx:nowhere.test"}, "", rcpt.ReasonDomainNotFound, "", nil, true},
		{"excluded before the DNS is asked", "a@nowhere.test", []string{"domain:nowhere.test"}, "", rcpt.ReasonNotAsked, "", nil, false},
		{"level dns", "a@example.test", []string{"mx:test", "provider:microsoft_365"}, engine.LevelDNS, rcpt.ReasonLevelReached, "", nil, true},
		{"level dns, a domain", "a@example.test", []string{"domain:example.test"}, engine.LevelDNS, rcpt.ReasonNotAsked, "", nil, false},
		{"level syntax", "a@example.test", []string{"domain:example.test"}, engine.LevelSyntax, rcpt.ReasonLevelReached, "", nil, false},
		{"bad syntax", "a@@example.test", []string{"domain:example.test"}, "", rcpt.ReasonInvalidSyntax, "", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stored []byte
				config := engine.Config{NoAsk: tt.rules, Level: tt.level, Exchanger: dnstest.New(severalZone)}
				v, network, zone := inMemory(t, config, &smtptest.Host{CatchAll: true})
				network.Add("192.0.2.2", &smtptest.Host{CatchAll: true})
				network.Add("192.0.2.3", &smtptest.Host{CatchAll: true})
				evidence, err := v.Gather(t.Context(), tt.address)
				if err != nil {
					t.Fatal(err)
				}
				r := engine.Decide(evidence, v.Policy())
				if r.Reason != tt.reason || r.Verdict != tt.reason.Verdict() || !strings.Contains(r.Message, tt.said) {
					t.Errorf("%s, %s: %s; want %s: …%s", r.Verdict, r.Reason, r.Message, tt.reason, tt.said)
				}
				if !slices.Equal(network.Dials(), tt.dials) {
					t.Errorf("dialled %v, want %v", network.Dials(), tt.dials)
				}
				if asked := zone.Count("", "") > 0; asked != tt.queries {
					t.Errorf("DNS asked: %v, want %v", asked, tt.queries)
				}
				if stored, err = json.Marshal(evidence); err != nil {
					t.Fatal(err)
				}
				var again engine.Evidence
				if err := json.Unmarshal(stored, &again); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(r, engine.Decide(again, v.Policy())); diff != "" {
					t.Errorf("judged from storage (-now +then):\n%s", diff)
				}
			})
		})
	}
}

// TestNoAskOfOtherFacts checks that an address that is not asked about has its
// flags, its mail hosts and their provider, and is matched with the lists.
func TestNoAskOfOtherFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := engine.Config{NoAsk: []string{"mx:test", "provider:microsoft_365"}, Exchanger: dnstest.New(severalZone)}
		v, _, _ := inMemory(t, config, &smtptest.Host{})
		r, err := v.Verify(t.Context(), "info@example.test")
		if err != nil || !r.Role || r.Reason.Failed() || len(r.Details.MX) != 2 || r.Details.Provider != "microsoft_365" || r.RetryAfter() != 0 {
			t.Errorf("%+v %+v, %v", r, r.Details, err)
		}
	})
}

// TestNoAskOfManyAddresses checks that a rule about one domain leaves the
// others of a list alone.
func TestNoAskOfManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := engine.Config{NoAsk: []string{"domain:example.test"}, Exchanger: dnstest.New(severalZone)}
		v, network, _ := inMemory(t, config, &smtptest.Host{})
		network.Add("192.0.2.3", &smtptest.Host{CatchAll: true})
		addresses := []string{"a@example.test", "b@example.test", "a@other.test"}
		v.VerifyGroup(t.Context(), addresses, engine.GroupOptions{}, func(i int, r rcpt.Result, err error) {
			if want := map[bool]rcpt.Reason{true: rcpt.ReasonNotAsked, false: rcpt.ReasonCatchAll}[i < 2]; r.Reason != want || err != nil {
				t.Errorf("%s: %s, %v", addresses[i], r.Reason, err)
			}
		})
		if dials := network.Dials(); !slices.Equal(dials, []string{"192.0.2.3:25"}) {
			t.Errorf("dialled %v", dials)
		}
	})
}

// TestNoAskOfNetworkCheck checks that the check of port 25 connects to no host
// that NoAsk names, and says nothing if no other host is left.
func TestNoAskOfNetworkCheck(t *testing.T) {
	for _, tt := range []struct {
		rules  []string
		want   rcpt.Reason
		dialed []string
	}{
		{nil, rcpt.ReasonPortBlocked, []string{"9.9.9.1:25", "9.9.9.2:25", "9.9.9.3:25", "9.9.9.9:25"}},
		{[]string{"domain:gmail.com", "mx:mx.outlook.com"}, rcpt.ReasonPortBlocked, []string{"9.9.9.3:25", "9.9.9.9:25"}},
		{[]string{"mx:com"}, rcpt.ReasonConnectionFailed, []string{"9.9.9.9:25"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			network := smtptest.NewNetwork()
			v := checking(t, engine.Config{NoAsk: tt.rules}, dnstest.New(realZone), network)
			wantReason(t, verify(t, v, "user@alive.test"), tt.want)
			dials := network.Dials()
			slices.Sort(dials)
			if dials = slices.Compact(dials); !slices.Equal(dials, tt.dialed) {
				t.Errorf("%v: dialled %v, want %v", tt.rules, dials, tt.dialed)
			}
		})
	}
}

func TestReadNoAsk(t *testing.T) {
	for _, good := range []string{"domain:example.com", "domain:bücher.example", "domain:mil", "mx:mx.example.com.", "provider:gmail", "provider:GMAIL"} {
		if _, err := engine.ReadNoAsk(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, said := range map[string]string{
		"": "domain:NAME", "example.com": "domain:NAME", "domain:": "domain:NAME", "host:a.example": "not a kind", "domain:a b": `"domain:a b": `,
		"domain:user@example.com": `"domain:user@example.com": `, "mx:192.0.2.1": `"mx:192.0.2.1": `, "provider:nobody": "known are",
	} {
		if _, err := engine.ReadNoAsk(bad); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, want …%s", bad, err, said)
		}
	}
}
