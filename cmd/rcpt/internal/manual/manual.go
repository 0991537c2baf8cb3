package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual is the model of a command line with the texts that the model does not
// have.
type Manual struct {
	App      *kong.Application
	Chapters []Chapter            // of the list of commands
	Examples map[string][]Example // by the path of the command, such as "keys create"
	Footer   string               // ends the help of every command
}

// Chapter is a part of the list of commands.
type Chapter struct {
	Title    string
	Commands []string
}

// Example is a command line to try.
type Example struct {
	About string
	Line  string
}

// section is a titled list of flags.
type section struct {
	title string
	flags []*kong.Flag
}

// Titles of the sections of flags that are in no group.
const (
	ownFlags     = "Flags"
	generalFlags = "General flags"
)

// sectionsOf returns the flags of a command: those of its own, then those of
// each group, then those that every command has.
func sectionsOf(node *kong.Node) []section {
	own := section{title: ownFlags}
	general := section{title: generalFlags}
	var groups []section
	for _, flag := range node.Flags {
		switch {
		case flag.Hidden:
		case node.Parent == nil:
			general.flags = append(general.flags, flag)
		case flag.Group == nil:
			own.flags = append(own.flags, flag)
		default:
			groups = addTo(groups, flag)
		}
	}
	for parent := node.Parent; parent != nil; parent = parent.Parent {
		general.flags = append(general.flags, shownOf(parent.Flags)...)
	}
	all := append(append([]section{own}, groups...), general)
	return slices.DeleteFunc(all, func(s section) bool { return len(s.flags) == 0 })
}

func addTo(groups []section, flag *kong.Flag) []section {
	for i := range groups {
		if groups[i].title == flag.Group.Title {
			groups[i].flags = append(groups[i].flags, flag)
			return groups
		}
	}
	return append(groups, section{flag.Group.Title, []*kong.Flag{flag}})
}

func shownOf(flags []*kong.Flag) []*kong.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f *kong.Flag) bool { return f.Hidden })
}

// Path returns the words of a command without the name of the program: "keys
// create", or "" for the program itself.
func Path(node *kong.Node) string {
	if node.Parent == nil {
		return ""
	}
	return strings.TrimSpace(Path(node.Parent) + " " + node.Name)
}

// synopsis returns the usage line of a command.
func (m Manual) synopsis(node *kong.Node) string {
	words := []string{m.App.Name}
	if path := Path(node); path != "" {
		words = append(words, path)
	}
	if len(commandsOf(node)) > 0 {
		words = append(words, "COMMAND")
	}
	for _, argument := range node.Positional {
		words = append(words, nameOf(argument))
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// nameOf is an argument as a synopsis shows it.
func nameOf(argument *kong.Positional) string {
	name := strings.ToUpper(argument.Name)
	if argument.IsCumulative() {
		name += "..."
	}
	if !argument.Required {
		name = "[" + name + "]"
	}
	return name
}

// commandsOf returns the commands that a command has.
func commandsOf(node *kong.Node) []*kong.Node {
	var shown []*kong.Node
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			shown = append(shown, child)
		}
	}
	return shown
}

// leavesOf returns the commands below a command that have no subcommands.
func leavesOf(node *kong.Node) []*kong.Node {
	children := commandsOf(node)
	if len(children) == 0 {
		return []*kong.Node{node}
	}
	var leaves []*kong.Node
	for _, child := range children {
		leaves = append(leaves, leavesOf(child)...)
	}
	return leaves
}

// Find returns the command that words name, and the rest of the words.
func (m Manual) Find(words []string) (node *kong.Node, rest []string) {
	node = m.App.Node
	for i, word := range words {
		next := slices.IndexFunc(node.Children,
			func(child *kong.Node) bool { return child.Type == kong.CommandNode && child.Name == word })
		if next < 0 {
			return node, words[i:]
		}
		node = node.Children[next]
	}
	return node, nil
}

// flagText is a flag as help shows it: "-o, --output FILE". Where a flag beside
// it has a short form, room is left for one.
func flagText(flag *kong.Flag, short bool) string {
	text := "--" + flag.Name
	switch {
	case flag.Short != 0:
		text = "-" + string(flag.Short) + ", " + text
	case short:
		text = "    " + text
	}
	if !flag.IsBool() {
		text += " " + flag.PlaceHolder
	}
	return text
}
