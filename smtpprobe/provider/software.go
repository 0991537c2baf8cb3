package provider

import (
	"regexp"
	"sync"
)

// software is a program that takes mail for every recipient, unless it is told
// otherwise. Greeting and Accepted are regular expressions for what it says;
// empty: it may say anything.
type software struct {
	Name     string `yaml:"name"`
	Greeting string `yaml:"greeting"`
	Accepted string `yaml:"accepted"`
	Source   string `yaml:"source"`
}

// wording is how a program is known.
type wording struct {
	name               string
	greeting, accepted *regexp.Regexp
}

var wordings = sync.OnceValue(func() []wording {
	var all []wording
	for _, s := range embedded().Software {
		all = append(all, wording{s.Name, regexp.MustCompile(s.Greeting), regexp.MustCompile(s.Accepted)})
	}
	return all
})

// Unchecking returns the program that greets and accepts a recipient in these
// words, if it is known to take mail for every recipient, unless it is told
// otherwise; else it returns "".
func Unchecking(greeting, accepted string) string {
	for _, w := range wordings() {
		if w.greeting.MatchString(greeting) && w.accepted.MatchString(accepted) {
			return w.name
		}
	}
	return ""
}
