package provider

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Provider is a company or service that runs mail hosts.
type Provider struct {
	Name       string     `yaml:"name"` // one lower_snake word: "google_workspace"
	Hosts      []string   `yaml:"hosts"`
	Recipients Recipients `yaml:"recipients"`
	Source     string     `yaml:"source"`
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

// providersByHost maps the suffixes of mail host names to providers.
var providersByHost = sync.OnceValue(func() map[string]Provider {
	var list []Provider
	if err := yaml.UnmarshalWithOptions(embeddedProviders, &list, yaml.Strict()); err != nil {
		panic("provider: embedded providers: " + err.Error()) // a test parses them
	}
	byHost := map[string]Provider{}
	for _, provider := range list {
		for _, host := range provider.Hosts {
			byHost[host] = provider
		}
	}
	return byHost
})

// Names returns the names of all known providers in alphabetical order.
func Names() []string {
	names := map[string]bool{}
	for _, provider := range providersByHost() {
		names[provider.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Of returns the provider of a mail host, or the zero Provider if it is
// unknown. The longest matching suffix decides.
func Of(host string) Provider {
	known := providersByHost()
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	for name != "" {
		if provider, ok := known[name]; ok {
			return provider
		}
		_, name, _ = strings.Cut(name, ".")
	}
	return Provider{}
}
