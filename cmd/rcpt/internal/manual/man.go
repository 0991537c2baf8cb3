package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// ManPage is the contents of a man page besides the model.
type ManPage struct {
	Manual
	Version     string
	Date        string   // as 2006-01-02
	Description []string // paragraphs
	Environment []string // paragraphs
	ExitStatus  [][2]string
	SeeAlso     string
}

// Write writes the page of section 1 for the program and all its commands, with
// the macros of man(7).
func (p ManPage) Write(w io.Writer) error {
	var r roff
	name := p.App.Name
	fmt.Fprintf(&r, ".TH \"%s\" \"1\" \"%s\" \"%s\" \"User Commands\"\n", strings.ToUpper(name), p.Date,
		escaped(name+" "+p.Version))
	r.macro("SH", "NAME")
	r.text(name + ` - ` + lowerFirst(strings.TrimSuffix(p.App.Help, ".")))
	r.macro("SH", "SYNOPSIS")
	for i, command := range leavesOf(p.App.Node) {
		if i > 0 {
			r.macro("br")
		}
		r.macro("B", p.synopsis(command))
	}
	r.macro("SH", "DESCRIPTION")
	r.paragraphs(p.Description)
	r.macro("SH", "COMMANDS")
	shared := p.writeCommands(&r)
	r.macro("SH", "SHARED FLAGS")
	r.text("Commands that verify addresses take these. Where a command takes only some of them, its help says so.")
	for _, section := range append(shared, section{generalFlags, shownOf(p.App.Flags)}) {
		r.macro("SS", section.title)
		r.flags(section.flags)
	}
	r.macro("SH", "ENVIRONMENT")
	r.paragraphs(p.Environment)
	r.macro("SH", "EXIT STATUS")
	for _, status := range p.ExitStatus {
		r.item(status[0], status[1])
	}
	r.macro("SH", "SEE ALSO")
	r.text(p.SeeAlso)
	_, err := io.WriteString(w, r.String())
	return err
}

// writeCommands writes each command with its own flags and examples, and
// returns the flags in groups, which stand elsewhere.
func (p ManPage) writeCommands(r *roff) (shared []section) {
	for _, command := range leavesOf(p.App.Node) {
		r.macro("SS", p.synopsis(command))
		r.text(command.Help)
		for _, argument := range command.Positional {
			r.item(strings.ToUpper(argument.Name), argument.Help)
		}
		for _, section := range sectionsOf(command) {
			switch section.title {
			case ownFlags:
				r.flags(section.flags)
			case generalFlags:
			default:
				shared = united(shared, section)
			}
		}
		for _, example := range p.Examples[Path(command)] {
			r.macro("PP")
			r.text(example.About + ":")
			r.macro("PP")
			r.macro("nf")
			r.macro("RS", "4")
			r.text(example.Line)
			r.macro("RE")
			r.macro("fi")
		}
	}
	return shared
}

// united adds the flags of a section that are not in the others.
func united(all []section, more section) []section {
	for i := range all {
		if all[i].title != more.title {
			continue
		}
		for _, flag := range more.flags {
			if !hasFlag(all[i].flags, flag.Name) {
				all[i].flags = append(all[i].flags, flag)
			}
		}
		return all
	}
	return append(all, more)
}

func hasFlag(flags []*kong.Flag, name string) bool {
	for _, flag := range flags {
		if flag.Name == name {
			return true
		}
	}
	return false
}

// roff is a document with the macros of man(7).
type roff struct{ strings.Builder }

// macro writes a request. Its arguments are quoted, as they may hold blanks.
func (r *roff) macro(name string, arguments ...string) {
	r.WriteString("." + name)
	for _, argument := range arguments {
		fmt.Fprintf(r, ` "%s"`, strings.ReplaceAll(escaped(argument), `"`, `\(dq`))
	}
	r.WriteString("\n")
}

func (r *roff) text(text string) { r.WriteString(escaped(text) + "\n") }

func (r *roff) paragraphs(all []string) {
	for i, paragraph := range all {
		if i > 0 {
			r.macro("PP")
		}
		r.text(paragraph)
	}
}

// item writes a term and its description.
func (r *roff) item(term, about string) {
	r.macro("TP")
	r.macro("B", term)
	r.text(about)
}

func (r *roff) flags(flags []*kong.Flag) {
	for _, flag := range flags {
		r.item(flagText(flag, false), flag.Help)
	}
}

// escaped escapes what has a meaning in roff: backslashes, hyphens that users
// type, and a control character at the beginning.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `~`, `\(ti`, `^`, `\(ha`, "`", `\(ga`, `'`, `\(aq`, "…",
		"...").Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
