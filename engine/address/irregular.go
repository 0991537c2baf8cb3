package address

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// note adds what is irregular to what was noted before, unless that has its
// reason.
func note(noted []Error, err *Error) []Error {
	if err == nil || irregularity(noted, err.Reason) != nil {
		return noted
	}
	return append(noted, *err)
}

// irregularity returns what was noted with the reason; nil: nothing.
func irregularity(noted []Error, reason Reason) *Error {
	if i := slices.IndexFunc(noted, func(e Error) bool { return e.Reason == reason }); i >= 0 {
		return &noted[i]
	}
	return nil
}

//go:embed dots.txt
var dotsList string

// dots are the domains of dots.txt.
var dots = sync.OnceValue(func() map[string]bool {
	domains := map[string]bool{}
	for line := range strings.Lines(dotsList) {
		if domain, _, found := strings.Cut(line, "\t"); found && !strings.HasPrefix(line, "#") {
			domains[domain] = true
		}
	}
	return domains
})

// issuesDots reports whether the provider of a domain has issued mailboxes with
// dots where only a quoted local-part may have them.
func issuesDots(domain string) bool {
	for {
		if dots()[domain] {
			return true
		}
		_, parent, found := strings.Cut(domain, ".")
		if !found {
			return false
		}
		domain = parent
	}
}
