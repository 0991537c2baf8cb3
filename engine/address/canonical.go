package address

import (
	_ "embed" // mailboxes.txt
	"strings"
	"sync"
)

//go:embed mailboxes.txt
var mailboxesList string

// spelling is a line of mailboxes.txt, whose head describes the rules.
type spelling struct {
	domains   []string
	sources   []string
	one       bool
	tag       string
	ignored   string
	alike     string
	subdomain bool
}

// spellings are the rules of mailboxes.txt by domain.
var spellings = sync.OnceValue(func() map[string]spelling {
	byDomain := map[string]spelling{}
	for line := range strings.Lines(mailboxesList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rule := readSpelling(line)
		for _, domain := range rule.domains {
			byDomain[domain] = rule
		}
	}
	return byDomain
})

func readSpelling(line string) (rule spelling) {
	parts := strings.Split(strings.TrimSpace(line), "\t")
	for word := range strings.FieldsSeq(parts[1]) {
		switch key, value, _ := strings.Cut(word, ":"); key {
		case "one":
			rule.one = true
		case "tag":
			rule.tag = value
		case "ignored":
			rule.ignored = value
		case "alike":
			rule.alike = value
		case "subdomain":
			rule.subdomain = true
		}
	}
	rule.sources, rule.domains = strings.Fields(parts[2]), strings.Fields(parts[3])
	return rule
}

// Canonical returns the address that stands for all spellings of a mailbox by
// the public rules of its provider: it is janedoe@gmail.com for
// Jane.Doe+news@googlemail.com. It is of use to find a person twice. Mail goes
// to the address that the person gave: nobody may read the canonical one.
//
// Two people never share one, as far as that is known: where a provider has no
// public rule, and at domains of its customers, only upper-case ASCII letters
// become lower case. RFC 5321 §2.4 lets a host tell them apart, and discourages
// it.
//
// Later versions may know more rules.
func (a Address) Canonical() string {
	mailbox := strings.Map(lower, a.mailbox)
	rule, name, domain := spellingOf(strings.TrimSuffix(mailbox, "@"+a.domain), a.domain)
	if name = rule.fold(name); len(rule.domains) == 0 || !isName(name) {
		return mailbox
	}
	if rule.one {
		domain = rule.domains[0]
	}
	return name + "@" + domain
}

// spellingOf returns the rules for an address, and the name and the domain to
// apply them to. They have no domains if none is known.
func spellingOf(local, domain string) (rule spelling, name, of string) {
	if rule, known := spellings()[domain]; known {
		return rule, local, domain
	}
	user, parent, _ := strings.Cut(domain, ".")
	// A hyphen may stand for an underscore, which no name of a host has.
	if rule := spellings()[parent]; rule.subdomain && !strings.Contains(user, "-") {
		return rule, user, parent
	}
	return spelling{}, local, domain
}

// fold removes from a local-part what does not count.
func (s spelling) fold(local string) string {
	if s.tag != "" {
		local, _, _ = strings.Cut(local, s.tag)
	}
	return strings.Map(func(c rune) rune {
		switch {
		case strings.ContainsRune(s.ignored, c):
			return -1
		case strings.ContainsRune(s.alike, c):
			return rune(s.alike[0])
		}
		return c
	}, local)
}

// isName reports whether a provider may have given somebody this name. The
// rules were not made for others: those may be anything.
func isName(local string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	for part := range strings.SplitSeq(local, ".") {
		if part == "" || strings.Trim(part, letters) != "" {
			return false
		}
	}
	return len(local) <= maxLocal
}

// lower makes ASCII letters lower case. The length of others could change.
func lower(c rune) rune {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
