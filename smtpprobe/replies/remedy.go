package replies

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"
)

// Remedy returns, for a reply of [ClassBlocked], why the mail host refuses the
// client or its message, and what the client's operator can do about it, with
// the form, page or e-mail address to turn to, in English sentences. Both are
// empty if that is not known. They decide no verdict.
func Remedy(q Input) (cause, do string) {
	found := remedyFor(q)
	return found.cause, found.do
}

// remedy is what [Remedy] returns, and where that is from.
type remedy struct {
	cause, do  string
	id, source string
	samples    []string
}

func remedyFor(q Input) remedy {
	all := embeddedRemedies()
	i := all.rules.match(q, wordsOf(q, nil))
	if i < 0 {
		return remedy{}
	}
	return all.list[i]
}

// advice is what to do, with the place to turn to.
func (e remedyEntry) advice() string {
	switch {
	case e.Link == "":
		return e.Do
	case strings.Contains(e.Link, "@"):
		return e.Do + " The address: " + e.Link
	}
	return e.Do + " The page: " + e.Link
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
	rules *ruleSet
	list  []remedy
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
	if err := yamlfile.Load(data, &file); err != nil {
		return nil, err
	}
	parser := phraseParser{sets: map[string][]string{}, vocabulary: newVocabulary()}
	all := &remedies{rules: newRuleSet(parser)}
	for _, e := range file.Remedies {
		e.Rule.Class = ClassBlocked
		err := all.rules.add(e.Rule, parser)
		if err == nil && (e.Cause == "" || e.Do == "" || len(e.Rule.Sample) == 0) {
			err = errors.New("cause, do or sample is missing")
		}
		if err != nil {
			return nil, fmt.Errorf("remedy %q: %w", e.Rule.ID, err)
		}
		all.list = append(all.list, remedy{
			cause: e.Cause, do: e.advice(), id: e.Rule.ID, source: e.Rule.Source, samples: e.Rule.Sample,
		})
	}
	return all, nil
}
