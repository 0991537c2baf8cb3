package replies

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// Remedy says why a mail host refuses a client, and what the client's operator
// can do about it. It decides no verdict.
type Remedy struct {
	ID       string
	Provider string // who refuses, for people; empty: not a certain one
	Cause    string
	Do       string
	Link     string // form, page or e-mail address; empty: none
	Samples  []string
	Source   string
}

// RemedyFor returns the remedy for a reply of [ClassBlocked], if there is one
// for it.
func RemedyFor(q Input) (Remedy, bool) {
	all := embeddedRemedies()
	found, code := all.rules.phrases.find(wordsOf(q, nil)), codeText(q.Reply.Code)
	for i := range all.rules.rules {
		if all.rules.rules[i].fits(q, code, found) {
			return all.list[i], true
		}
	}
	return Remedy{}, false
}

// Remedies returns all remedies in the order in which they are tried.
func Remedies() []Remedy { return embeddedRemedies().list }

// Advice is what to do, with the place to turn to.
func (r Remedy) Advice() string {
	switch {
	case r.Link == "":
		return r.Do
	case strings.Contains(r.Link, "@"):
		return r.Do + " The address: " + r.Link
	}
	return r.Do + " The page: " + r.Link
}

//go:embed remedies.yaml
var remedyData []byte

// remedyEntry is an entry of remedies.yaml: a rule with what it leads to.
type remedyEntry struct {
	Rule     ruleEntry `yaml:",inline"`
	Provider string    `yaml:"provider"`
	Cause    string    `yaml:"cause"`
	Do       string    `yaml:"do"`
	Link     string    `yaml:"link"`
}

// remedies are the entries in the form of rules, whose order is that of list.
type remedies struct {
	rules *Classifier
	list  []Remedy
}

var embeddedRemedies = sync.OnceValue(func() *remedies {
	all, err := readRemedies(remedyData)
	if err != nil {
		panic("replies: embedded remedies: " + err.Error()) // a test parses them
	}
	return all
})

func readRemedies(data []byte) (*remedies, error) {
	var file struct {
		Remedies []remedyEntry `yaml:"remedies"`
	}
	if err := yaml.UnmarshalWithOptions(data, &file, yaml.Strict()); err != nil {
		return nil, err
	}
	parser := phraseParser{sets: map[string][]string{}, vocabulary: newVocabulary()}
	all := &remedies{rules: &Classifier{phrases: &phraseIndex{vocabulary: parser.vocabulary}, ids: map[string]bool{}}}
	for _, e := range file.Remedies {
		e.Rule.Class = ClassBlocked
		err := all.rules.add(e.Rule, parser)
		if err == nil && (e.Cause == "" || e.Do == "" || len(e.Rule.Sample) == 0) {
			err = errors.New("cause, do or sample is missing")
		}
		if err != nil {
			return nil, fmt.Errorf("remedy %q: %w", e.Rule.ID, err)
		}
		all.list = append(all.list, Remedy{
			ID: e.Rule.ID, Provider: e.Provider, Cause: e.Cause, Do: e.Do, Link: e.Link,
			Samples: e.Rule.Sample, Source: e.Rule.Source,
		})
	}
	return all, nil
}
