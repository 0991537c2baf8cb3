package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Candidate is a word that may complete the last one.
type Candidate struct {
	Word  string
	About string
}

// Complete returns the candidates for the last of words, which may be empty.
// The words are those after the name of the program. There are no candidates
// for a file, an address or another value of the user's.
func (m Manual) Complete(words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	if last == "=" { // bash splits --flag=value into three words
		before, last = append(slices.Clone(before), last), ""
	}
	node, awaited, literal := m.follow(before)
	switch {
	case literal:
		return nil
	case awaited != nil:
		return values(awaited, "", last)
	case strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		name, value, _ := strings.Cut(last, "=")
		if flag := flagNamed(node, name); flag != nil {
			return values(flag, name+"=", value)
		}
		return nil
	case strings.HasPrefix(last, "-"):
		return flagsWith(node, last)
	}
	var found []Candidate
	for _, command := range commandsOf(node) {
		found = append(found, Candidate{command.Name, command.Help})
	}
	return startingWith(found, last)
}

// follow parses the words before the last one: the command, the flag whose
// value comes next, and whether no more flags may follow.
func (m Manual) follow(words []string) (node *kong.Node, awaited *kong.Flag, literal bool) {
	node = m.App.Node
	for _, word := range words {
		switch {
		case word == "--":
			return node, nil, true
		case word == "=":
			continue
		case awaited != nil:
			awaited = nil // by this word, its value
			continue
		case strings.HasPrefix(word, "-"):
			if flag := flagNamed(node, word); flag != nil && !flag.IsBool() {
				awaited = flag
			}
			continue
		}
		if next, rest := (Manual{App: &kong.Application{Node: node}}).Find([]string{word}); len(rest) == 0 {
			node = next
		}
	}
	return node, awaited, false
}

// flagNamed returns the flag that a word such as "--json" or "-o" names, or
// nil.
func flagNamed(node *kong.Node, word string) *kong.Flag {
	for at := node; at != nil; at = at.Parent {
		for _, flag := range at.Flags {
			if word == "--"+flag.Name || flag.Short != 0 && word == "-"+string(flag.Short) {
				return flag
			}
		}
	}
	return nil
}

func flagsWith(node *kong.Node, prefix string) []Candidate {
	var found []Candidate
	for _, section := range sectionsOf(node) {
		for _, flag := range section.flags {
			found = append(found, Candidate{"--" + flag.Name, flag.Help})
		}
	}
	return startingWith(found, prefix)
}

// values returns the values of a flag with a closed set of values.
func values(flag *kong.Flag, before, prefix string) []Candidate {
	if flag.Enum == "" {
		return nil
	}
	var found []Candidate
	for _, value := range flag.EnumSlice() {
		found = append(found, Candidate{before + value, ""})
	}
	return startingWith(found, before+prefix)
}

func startingWith(candidates []Candidate, prefix string) []Candidate {
	return slices.DeleteFunc(candidates, func(c Candidate) bool { return !strings.HasPrefix(c.Word, prefix) })
}
