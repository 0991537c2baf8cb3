package engine_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/engine"
)

// TestBadConfig checks that what no verification could use is refused, and that
// the error names the field.
func TestBadConfig(t *testing.T) {
	ip := netip.MustParseAddr("127.0.0.1")
	for field, configs := range map[string][]engine.Config{
		"Level":         {{Level: "deep"}},
		"NetworkCheck":  {{NetworkCheck: "maybe"}, {NetworkCheck: "maybe", Level: engine.LevelSyntax}},
		"Timeout":       {{Timeout: -1}},
		"ControlSecret": {{ControlSecret: []byte("guessed")}},
		"Resolvers":     {{Resolvers: []string{"not a server:x"}}, {Resolvers: []string{""}}},
		"MailFrom":      {{MailFrom: "a@b\r\nRCPT TO:<c>"}},
		"HELO":          {{HELO: "two words"}},
		"AllowNets":     {{AllowNets: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), {}}}},
		"OwnAddrs":      {{OwnAddrs: []netip.Addr{ip, {}}}},
		"SourceIPs": {
			{SourceIPs: []netip.Addr{{}}}, {SourceIPs: []netip.Addr{netip.MustParseAddr("192.0.2.200")}},
			{SourceIPs: []netip.Addr{ip}, Dialer: noDialer{t}},
		},
		"Proxies": {
			{Proxies: []*url.URL{nil}}, {Proxies: []*url.URL{{Scheme: "http", Host: "h:1"}}},
			{Proxies: []*url.URL{{Scheme: "socks4", Host: "h:1"}}}, {Proxies: []*url.URL{{Scheme: "socks5", Host: "h:1", RawQuery: "timeout=5s"}}},
		},
		"NoAsk":              {{NoAsk: []string{"example.com"}}, {NoAsk: []string{"provider:nobody"}, Level: engine.LevelSyntax}},
		"MaxSessions":        {{MaxSessions: -1}},
		"MaxSessionsPerHost": {{MaxSessionsPerHost: -1}},
		"MaxWaitingPerHost":  {{MaxWaitingPerHost: -1}},
		"MaxRemembered":      {{MaxRemembered: -1}},
		"RHSBLs":             {{RHSBLs: []string{"dbl.test", "https://dbl.test/"}}},
		"CheckDomains":       {{CheckDomains: []string{"a.test", "b.test"}}, {CheckDomains: []string{"a.test", "b.test", "-"}}},
	} {
		for _, config := range configs {
			if config.Resolvers == nil {
				config.Resolvers = []string{"192.0.2.53"}
			}
			if config.MaxRemembered == 0 {
				config.MaxRemembered = 10 // what was begun has to be ended
			}
			verifier, err := engine.New(config)
			if err == nil {
				verifier.Close()
				t.Errorf("%s: no error", field)
				continue
			}
			if text := err.Error(); verifier != nil || !strings.HasPrefix(text, "engine: ") || !strings.Contains(text, "Config."+field+": ") {
				t.Errorf("%s: error %q, verifier %p", field, text, verifier)
			}
		}
	}
}
