package provider

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestProviderOf(t *testing.T) {
	for host, want := range map[string]string{
		"gmail-smtp-in.l.google.com":              "gmail",
		"alt1.gmail-smtp-in.l.google.com":         "gmail",
		"aspmx.l.google.com":                      "google_workspace",
		"SMTP.Google.com.":                        "google_workspace",
		"example-com.mail.protection.outlook.com": "microsoft_365",
		"outlook-com.olc.protection.outlook.com":  "outlook",
		"mxa-00000000.gslb.pphosted.com":          "proofpoint",
		"eu-smtp-inbound-1.mimecast.com":          "mimecast",
		"mta5.am0.yahoodns.net":                   "yahoo",
		"inbound-smtp.us-east-1.amazonaws.com":    "amazon_ses",
		"x.inbound-smtp.eu-north-1.amazonaws.com": "amazon_ses",
		"inbound-smtp.amazonaws.com":              "",
		"ec2-192-0-2-1.compute-1.amazonaws.com":   "",
		"mx.example.com":                          "",
		"notgoogle.com":                           "",
		"":                                        "",
	} {
		if got := Of(host).Name; got != want {
			t.Errorf("ProviderOf(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestProviderNames(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("names in disorder, or twice: %v", names)
	}
	for _, host := range []string{"aspmx.l.google.com", "mta5.am0.yahoodns.net"} {
		if name := Of(host).Name; !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestProviderData checks the form of the data: names are words, each suffix
// has one provider, and each claim about recipients has a source.
func TestProviderData(t *testing.T) {
	word := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	owner := map[string]string{}
	for _, provider := range embedded().Providers {
		if !word.MatchString(provider.Name) || len(provider.Hosts) == 0 {
			t.Errorf("%q: not a word, or no hosts", provider.Name)
		}
		switch provider.Recipients {
		case RecipientsVary:
		case RecipientsChecked, RecipientsUnchecked:
			if provider.Source == "" {
				t.Errorf("%s: says what its answers are worth and names no source", provider.Name)
			}
		default:
			t.Errorf("%s: recipients %q", provider.Name, provider.Recipients)
		}
		for _, host := range provider.Hosts {
			if host != strings.ToLower(host) || !strings.Contains(host, ".") {
				t.Errorf("%s: host %q", provider.Name, host)
			}
			if other, taken := owner[host]; taken {
				t.Errorf("%s is %s's and %s's", host, other, provider.Name)
			}
			owner[host] = provider.Name
		}
	}
}
