package provider

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/sys/publicsuffix"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// others is the name under which the limits of providers stand that have none
// of their own.
const others = "others"

// The prefix lengths of the network that stands for the provider of a mail host
// without a name, which is about the network of a site.
const (
	siteBits4 = 24
	siteBits6 = 48
)

// Pacing returns the provider with which a mail host is paced, and what the
// table has about it. All hosts of one provider share its limits. A provider
// that is not in the table is the registrable domain of the host's name, and
// where that does not tell, the network of its address.
func Pacing(host string, addr netip.Addr) pace.Table {
	if p := Of(host); p.Name != "" {
		return tableOf(p.Pacing)
	}
	if domain := registrable(host); domain != "" {
		return pace.Table{Provider: domain}
	}
	return pace.Table{Provider: network(addr)}
}

// PacingOf returns what the table has about a provider, by its pacing name or
// its own.
func PacingOf(name string) (pace.Table, bool) {
	for _, p := range providersByHost() {
		if p.Name == name || p.Pacing == name {
			return tableOf(p.Pacing), true
		}
	}
	return pace.Table{}, false
}

// PacingNames returns the pacing names of all known providers in alphabetical
// order.
func PacingNames() []string {
	names := map[string]bool{}
	for _, p := range providersByHost() {
		names[p.Pacing] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// OtherLimits returns the limits of the known providers that have none of their
// own in the table. It names no provider.
func OtherLimits() pace.Table {
	t := tables()[others]
	t.Known = true
	return t
}

func tableOf(pacing string) pace.Table {
	t, ok := tables()[pacing]
	if !ok {
		t = tables()[others]
	}
	t.Provider, t.Known = pacing, true
	return t
}

var tables = sync.OnceValue(func() map[string]pace.Table {
	all := map[string]pace.Table{}
	for name, limits := range embedded().Limits {
		t := pace.Table{Sources: map[string]string{}}
		for rule, text := range limits {
			value, source, _ := strings.Cut(text, " ")
			if err := setLimit(&t.Limits, rule, value); err != nil {
				panic("provider: embedded providers: " + name + ": " + err.Error()) // a test reads them
			}
			t.Sources[rule] = embedded().Sources[source]
		}
		all[name] = t
	}
	return all
})

func setLimit(l *pace.Limits, rule, value string) (err error) {
	counts := map[string]*int{
		"sessions": &l.Sessions, "sessions_per_minute": &l.SessionsPerMinute,
		"recipients_per_session": &l.RecipientsPerSession, "recipients_per_minute": &l.RecipientsPerMinute,
		"recipients_per_day": &l.RecipientsPerDay,
	}
	times := map[string]*time.Duration{
		"refused_pause": &l.RefusedPause, "deferred_pause": &l.DeferredPause,
		"throttled_pause": &l.ThrottledPause, "slow_for": &l.SlowFor,
	}
	switch {
	case counts[rule] != nil:
		*counts[rule], err = strconv.Atoi(value)
	case times[rule] != nil:
		*times[rule], err = time.ParseDuration(value)
	default:
		return fmt.Errorf("%q is no limit", rule)
	}
	return err
}

// registrable returns the domain under which a company has the names of its
// mail hosts; empty: the name is no domain name, or that of a machine which a
// cloud lets. The suffixes under which a company lets its customers have names
// are that company's, too.
func registrable(host string) string {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return ""
	}
	under := func(suffix string) bool { return strings.HasSuffix("."+name, "."+suffix) }
	if slices.ContainsFunc(embedded().Machines, under) {
		return ""
	}
	suffix, public := publicsuffix.PublicSuffix(name)
	for !public && strings.Contains(suffix, ".") {
		_, parent, _ := strings.Cut(suffix, ".")
		suffix, public = publicsuffix.PublicSuffix(parent)
	}
	rest, ok := strings.CutSuffix(name, "."+suffix)
	if !ok {
		return ""
	}
	return rest[strings.LastIndexByte(rest, '.')+1:] + "." + suffix
}

func network(addr netip.Addr) string {
	addr = addr.Unmap()
	bits := siteBits6
	if addr.Is4() {
		bits = siteBits4
	}
	site, err := addr.Prefix(bits)
	if err != nil {
		return addr.String() // none at all
	}
	return site.String()
}
