package dashboard

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/store"
)

// What a form for a key may hold at most. The store takes rates up to 1e9; nobody means more than a million of anything a second.
const (
	maxKeyName  = 100 // characters
	maxRate     = 1e6
	maxNetworks = 64
)

// keyForm is the form for a new key, as it was filled in.
type keyForm struct {
	Name                                          string
	Verify, Bulk, Usage                           bool
	Rate, Burst, Concurrency, Quota, Expires, Net string
	Today                                         string
}

func readKeyForm(v *visit) keyForm {
	field := func(name string) string { return strings.TrimSpace(v.form(name)) }
	return keyForm{
		Name: field("name"), Verify: v.form("verify") != "", Bulk: v.form("bulk") != "", Usage: v.form("usage") != "",
		Rate: field("rate"), Burst: field("burst"), Concurrency: field("concurrency"), Quota: field("quota"),
		Expires: field("expires"), Net: field("networks"),
	}
}

// key is what the form asks for, or what is wrong with it.
func (f keyForm) key(now time.Time) (k store.Key, fault string) {
	k = store.Key{Name: f.Name, Scopes: f.scopes()}
	if fault := f.nameFault(); fault != "" {
		return k, fault
	}
	if len(k.Scopes) == 0 {
		return k, "Choose at least one thing that the key may be used for."
	}
	var err error
	if f.Rate != "" {
		k.RatePerSecond, err = strconv.ParseFloat(f.Rate, 64)
		if err != nil || !(k.RatePerSecond > 0 && k.RatePerSecond <= maxRate) {
			return k, "The rate must be a number above 0, such as 10 or 0.5, or empty for no limit."
		}
	}
	for _, limit := range []struct {
		name, text string
		set        func(int64)
	}{
		{"burst", f.Burst, func(n int64) { k.Burst = int(n) }},
		{"number of requests at a time", f.Concurrency, func(n int64) { k.Concurrency = int(n) }},
		{"monthly quota", f.Quota, func(n int64) { k.MonthlyQuota = n }},
	} {
		n, ok := wholeNumber(limit.text)
		if !ok {
			return k, fmt.Sprintf("The %s must be a whole number above 0, or empty for no limit.", limit.name)
		}
		limit.set(n)
	}
	if k.Burst > 0 && k.RatePerSecond == 0 {
		return k, "A burst goes beyond a rate: give the rate too."
	}
	if k.Expires, fault = expiry(f.Expires, now); fault != "" {
		return k, fault
	}
	k.Networks, fault = networks(f.Net)
	return k, fault
}

func (f keyForm) nameFault() string {
	switch {
	case f.Name == "":
		return "Give the key a name, such as the program that will use it."
	case utf8.RuneCountInString(f.Name) > maxKeyName:
		return fmt.Sprintf("The name is longer than %d characters.", maxKeyName)
	case !utf8.ValidString(f.Name) || strings.ContainsFunc(f.Name, unicode.IsControl):
		return "The name has control characters."
	}
	return ""
}

func (f keyForm) scopes() (scopes []store.Scope) {
	for _, choice := range []struct {
		wanted bool
		scope  store.Scope
	}{{f.Verify, store.ScopeVerify}, {f.Bulk, store.ScopeBulk}, {f.Usage, store.ScopeUsage}} {
		if choice.wanted {
			scopes = append(scopes, choice.scope)
		}
	}
	return scopes
}

// wholeNumber reads a limit; an empty one is zero. Commas and spaces between digits are how people write thousands.
func wholeNumber(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", " ", "", "_", "").Replace(text), 10, 32)
	return n, err == nil && n > 0
}

// expiry is the end of a day in UTC; an empty one is never.
func expiry(text string, now time.Time) (time.Time, string) {
	if text == "" {
		return time.Time{}, ""
	}
	last, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, "The last day must be a date such as 2027-12-31."
	}
	end := last.AddDate(0, 0, 1)
	if !end.After(now) {
		return time.Time{}, "The last day has passed already."
	}
	return end, ""
}

// networks reads addresses and networks, one a line or with commas or blanks between them.
func networks(text string) (all []netip.Prefix, fault string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		prefix, err := netip.ParsePrefix(word)
		if addr, addrErr := netip.ParseAddr(word); addrErr == nil && addr.Zone() == "" {
			prefix, err = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, "The networks must be addresses or networks, such as 192.0.2.17 or 2001:db8::/32."
		}
		if len(all) == maxNetworks {
			return nil, fmt.Sprintf("A key can have up to %d networks.", maxNetworks)
		}
		all = append(all, prefix.Masked())
	}
	return all, ""
}
