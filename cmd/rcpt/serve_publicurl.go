package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
)

// siteFlags say how people and clients reach a server that stands behind something.
type siteFlags struct {
	PublicURL    siteURL   `name:"public-url" placeholder:"URL" help:"Where people and clients reach the server, as https://verify.example.com, when a proxy with TLS stands before it."`
	TrustedProxy []network `placeholder:"CIDR" help:"Network of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; repeatable."`
}

// siteURL is a URL of a site without a path.
type siteURL string

var errSiteURL = errors.New("use a URL without a path, such as https://verify.example.com")

func (u *siteURL) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		return fmt.Errorf("%q: %w", text, errSiteURL)
	}
	if parsed.Path != "" && parsed.Path != "/" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return fmt.Errorf("%q: %w", text, errSiteURL)
	}
	*u = siteURL(parsed.Scheme + "://" + parsed.Host)
	return nil
}

// prefixes are networks as the rest of the program knows them.
func prefixes(networks []network) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, netip.Prefix(n))
	}
	return all
}
