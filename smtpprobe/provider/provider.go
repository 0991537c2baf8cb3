package provider

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"
)

// Provider is a company or service that runs mail hosts.
type Provider struct {
	Name       string     `yaml:"name"` // one lower_snake word: "google_workspace"
	Hosts      []string   `yaml:"hosts"`
	Recipients Recipients `yaml:"recipients"`
	Source     string     `yaml:"source"`
	Pacing     string     `yaml:"pacing"` // the name under which it is paced with others; empty: its own
}

// Recipients says what a provider's acceptance of a recipient is worth.
type Recipients string

// The worths.
const (
	RecipientsVary      Recipients = ""          // it depends on the customer
	RecipientsChecked   Recipients = "checked"   // an accepted recipient exists
	RecipientsUnchecked Recipients = "unchecked" // every recipient is accepted, and sorted out later
)

//go:embed providers.yaml
var embeddedProviders []byte

// table is what the file has.
type table struct {
	Providers []Provider                   `yaml:"providers"`
	Software  []software                   `yaml:"software"`
	Machines  []string                     `yaml:"machines"` // suffixes of names that do not tell the operator
	Sources   map[string]string            `yaml:"sources"`
	Limits    map[string]map[string]string `yaml:"limits"` // by pacing name and name of the limit: "5 kumomta"
}

var embedded = sync.OnceValue(func() table {
	var t table
	if err := yamlfile.Load(embeddedProviders, &t); err != nil {
		panic("provider: embedded providers: " + err.Error()) // a test parses them
	}
	return t
})

// providersByHost maps the suffixes of mail host names to providers.
var providersByHost = sync.OnceValue(func() map[string]Provider {
	byHost := map[string]Provider{}
	for _, provider := range embedded().Providers {
		if provider.Pacing == "" {
			provider.Pacing = provider.Name
		}
		for _, host := range provider.Hosts {
			byHost[host] = provider
		}
	}
	return byHost
})

// Names returns the names of all known providers in alphabetical order.
func Names() []string {
	var names []string
	for _, provider := range embedded().Providers {
		names = append(names, provider.Name)
	}
	slices.Sort(names)
	return names
}

// Of returns the provider of a mail host, or the zero Provider if it is
// unknown. The longest matching suffix decides.
func Of(host string) Provider {
	known := providersByHost()
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	for name != "" {
		first, rest, _ := strings.Cut(name, ".")
		_, behind, _ := strings.Cut(rest, ".")
		for _, suffix := range [...]string{name, first + ".*." + behind} {
			if provider, ok := known[suffix]; ok {
				return provider
			}
		}
		name = rest
	}
	return Provider{}
}
