package dashboard

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// What a form for a key may hold at most.
const (
	maxKeyName  = 100 // characters
	maxNetworks = 64
)

// keyForm is the form for a key, as it was filled in.
type keyForm struct {
	ID                                            string // of the key that is edited; empty: a new one
	Name                                          string
	Verify, Bulk, Usage                           bool
	Test                                          bool // a test key, which it stays
	Rate, Burst, Concurrency, Quota, Expires, Net string

	before store.Key // the key that is edited
	Today  string
}

// Ends is the end of a key that is not the end of a day, which the form cannot
// show.
func (f keyForm) Ends() time.Time {
	if f.before.Expires.Equal(f.before.Expires.Truncate(24 * time.Hour)) {
		return time.Time{}
	}
	return f.before.Expires
}

// formOf is the form that holds what the key has.
func formOf(k store.Key) keyForm {
	f := keyForm{
		ID: k.ID, Name: k.Name, Verify: k.Has(store.ScopeVerify),
		Bulk: k.Has(store.ScopeBulk), Usage: k.Has(store.ScopeUsage), Test: k.Test,
		Concurrency: numberText(int64(k.Concurrency)), Quota: numberText(k.MonthlyQuota),
		Expires: lastDayText(k.Expires), before: k,
	}
	if k.RatePerSecond > 0 {
		f.Rate = keyring.RateText(k.RatePerSecond)
		if _, requests, err := keyring.ParseRate(f.Rate); err != nil || keyring.BurstOf(k) != keyring.DefaultBurst(requests) {
			f.Burst = numberText(int64(keyring.BurstOf(k))) // else it goes with the rate
		}
	}
	for _, network := range k.Networks {
		f.Net += network.String() + "\n"
	}
	f.Net = strings.TrimSpace(f.Net)
	return f
}

func numberText(n int64) string {
	if n == 0 {
		return ""
	}
	return groupedCount(n)
}

// lastDayText is the last day of a key in the form's notation; empty: it never
// ends.
func lastDayText(end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return end.Add(-time.Millisecond).UTC().Format(time.DateOnly)
}

func readKeyForm(v *visit) keyForm {
	field := func(name string) string { return strings.TrimSpace(v.form(name)) }
	return keyForm{
		Name: field("name"), Verify: v.form("verify") != "", Bulk: v.form("bulk") != "", Usage: v.form("usage") != "",
		Test: v.form("test") != "",
		Rate: field("rate"), Burst: field("burst"), Concurrency: field("concurrency"), Quota: field("quota"),
		Expires: field("expires"), Net: field("networks"),
	}
}

// key returns the key that the form describes, and all faults of the form.
func (f keyForm) key(now time.Time) (k store.Key, faults formFaults) {
	if k = f.before; f.ID == "" {
		k.Test = f.Test
	}
	k.Name, k.Scopes, k.RatePerSecond, k.Burst, k.Concurrency, k.MonthlyQuota = f.Name, f.scopes(), 0, 0, 0, 0
	faults.add("name", f.nameFault())
	if len(k.Scopes) == 0 {
		faults.add("verify", "Choose at least one.")
	}
	limit := func(field, text string, set func(int64)) {
		n, ok := wholeNumber(text)
		if !ok {
			faults.add(field, "Write a whole number from 1 to 2,147,483,647, or nothing.")
		}
		set(n)
	}
	limit("quota", f.Quota, func(n int64) { k.MonthlyQuota = n })
	if k.Test && f.Quota != "" {
		faults.add("quota", "A test key is not counted: leave this empty.")
	}
	if f.Rate != "" {
		perSecond, requests, err := keyring.ParseRate(withoutGroups(f.Rate))
		if err != nil {
			faults.add("rate",
				"Write requests in a second, minute, hour or day, such as 10/s, 600/m or 100/h, or nothing.")
		} else {
			k.RatePerSecond, k.Burst = perSecond, keyring.DefaultBurst(requests)
		}
	}
	limit("burst", f.Burst, func(n int64) { k.Burst = cmp.Or(int(n), k.Burst) })
	if f.Burst != "" && f.Rate == "" {
		faults.add("burst", "A burst belongs to a rate: give the rate too, or leave this empty.")
	}
	limit("concurrency", f.Concurrency, func(n int64) { k.Concurrency = int(n) })
	var fault string
	if f.Expires != lastDayText(f.before.Expires) { // else the exact time stays
		k.Expires, fault = expiry(f.Expires, now)
		faults.add("expires", fault)
	}
	k.Networks, fault = networks(f.Net)
	faults.add("networks", fault)
	return k, faults
}

func (f keyForm) nameFault() string {
	switch {
	case f.Name == "":
		return "Give the key a name, such as the program that will use it."
	case utf8.RuneCountInString(f.Name) > maxKeyName:
		return fmt.Sprintf("The name is longer than %d characters.", maxKeyName)
	case !utf8.ValidString(f.Name) || strings.ContainsFunc(f.Name, unicode.IsControl):
		return "The name contains control characters."
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

// wholeNumber reads a limit; an empty one is zero.
func wholeNumber(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(withoutGroups(text), 10, 32)
	return n, err == nil && n > 0
}

// withoutGroups removes what people write between the thousands of a number.
func withoutGroups(text string) string {
	return strings.NewReplacer(",", "", " ", "", "_", "").Replace(text)
}

// expiry is the end of a day in UTC; an empty one is never.
func expiry(text string, now time.Time) (time.Time, string) {
	if text == "" {
		return time.Time{}, ""
	}
	last, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, "Write a date such as 2027-12-31, or nothing."
	}
	end := last.AddDate(0, 0, 1)
	if !end.After(now) {
		return time.Time{}, "This day has passed already."
	}
	return end, ""
}

// networks reads addresses and networks, one a line or with commas or blanks
// between them.
func networks(text string) (all []netip.Prefix, fault string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		prefix, err := netip.ParsePrefix(word)
		if addr, addrErr := netip.ParseAddr(word); addrErr == nil && addr.Zone() == "" {
			prefix, err = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Sprintf("“%s” is not an address or network. Examples: 192.0.2.17, 2001:db8::/32.",
				shortened(word))
		}
		if len(all) == maxNetworks {
			return nil, fmt.Sprintf("A key can have up to %d networks.", maxNetworks)
		}
		all = append(all, prefix.Masked())
	}
	return all, ""
}

// shortened returns the beginning of a word that was typed, for a message.
func shortened(word string) string {
	const most = 40
	if runes := []rune(word); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return word
}
