package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Widths of the text of help, in characters.
const (
	narrowest  = 60
	widest     = 100 // wider lines are harder to read
	leftColumn = 30  // a name that is longer stands on a line of its own
	gap        = 2   // beside a column
)

// Help writes the help of a command for a terminal of that width.
func (m Manual) Help(w io.Writer, node *kong.Node, width int) error {
	page := &page{width: min(max(width, narrowest), widest)}
	page.wrap("", node.Help)
	page.heading("Usage")
	page.line("  " + m.synopsis(node))
	m.helpCommands(page, node)
	if len(node.Positional) > 0 {
		page.heading("Arguments")
		for _, argument := range node.Positional {
			page.row(strings.ToUpper(argument.Name), argument.Help, leftColumn)
		}
	}
	for _, section := range sectionsOf(node) {
		page.heading(section.title)
		short := slices.ContainsFunc(section.flags, func(f *kong.Flag) bool { return f.Short != 0 })
		for _, flag := range section.flags {
			page.row(flagText(flag, short), flag.Help, leftColumn)
		}
	}
	if examples := m.Examples[Path(node)]; len(examples) > 0 {
		page.heading("Examples")
		for _, example := range examples {
			page.wrap("  # ", example.About)
			page.line("  $ " + example.Line)
		}
	}
	page.line("")
	page.wrap("", m.Footer)
	_, err := io.WriteString(w, page.text.String())
	return err
}

// helpCommands lists the commands of a command, those of the program by
// chapters.
func (m Manual) helpCommands(page *page, node *kong.Node) {
	column := 0
	for _, command := range commandsOf(node) {
		column = max(column, len(command.Name)+3*gap)
	}
	if node.Parent != nil && column > 0 {
		page.heading("Commands")
		page.commands(commandsOf(node), column)
	}
	if node.Parent != nil {
		return
	}
	for _, chapter := range m.Chapters {
		page.heading(chapter.Title)
		for _, name := range chapter.Commands {
			if command, rest := m.Find([]string{name}); len(rest) == 0 {
				page.commands([]*kong.Node{command}, column)
			}
		}
	}
}

// page is text of limited width.
type page struct {
	width int
	text  strings.Builder
}

func (p *page) line(text string) { fmt.Fprintln(&p.text, strings.TrimRight(text, " ")) }

func (p *page) heading(title string) {
	p.line("")
	p.line(title + ":")
}

func (p *page) commands(nodes []*kong.Node, column int) {
	for _, node := range nodes {
		p.row(node.Name, node.Help, column)
	}
}

// row writes a name and, in the next column, its description.
func (p *page) row(name, about string, column int) {
	name = strings.Repeat(" ", gap) + name
	lines := wrapped(about, p.width-column)
	if len(name)+gap > column {
		p.line(name)
	} else {
		p.line(fmt.Sprintf("%-*s%s", column, name, lines[0]))
		lines = lines[1:]
	}
	for _, line := range lines {
		p.line(strings.Repeat(" ", column) + line)
	}
}

// wrap writes a paragraph.
func (p *page) wrap(indent, text string) {
	for _, line := range wrapped(text, p.width-len(indent)) {
		p.line(indent + line)
	}
}

// wrapped breaks text into lines of at most width characters, except for longer
// words. It returns at least one line.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
