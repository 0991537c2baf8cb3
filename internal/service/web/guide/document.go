package guide

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// repository is where links to files lead that are not documents.
const repository = "https://github.com/rcpt/rcpt/blob/main/"

// document is a document for users.
type document struct {
	Title    string
	Path     string // of its page
	Body     template.HTML
	sections []section
}

// section is a heading and what stands below it, up to the next heading.
type section struct {
	title, id string
	text      string
}

// readAll reads the documents of a folder, in the order of their names.
func readAll(files fs.FS) ([]document, error) {
	names, err := fs.Glob(files, "*.md")
	var all []document
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		d, err := readDocument(name, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, d)
	}
	return all, err
}

// markdown is the form of GitHub. Headings get anchors. HTML in the documents
// is our own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

func readDocument(name string, source []byte) (document, error) {
	d := document{Path: pathOf(name)}
	root := markdown.Parser().Parse(text.NewReader(source))
	var images []*ast.Image
	err := ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			id, _ := node.AttributeString("id")
			anchor, _ := id.([]byte)
			title := textOf(node, source)
			if d.Title == "" {
				d.Title = title
			}
			d.sections = append(d.sections, section{title: title, id: string(anchor)})
		case *ast.Link:
			node.Destination = []byte(target(string(node.Destination)))
		case *ast.Image:
			images = append(images, node)
		}
		if node.Type() == ast.TypeBlock && node.ChildCount() == 0 || node.Kind() == ast.KindTextBlock ||
			node.Kind() == ast.KindParagraph || strings.HasPrefix(node.Kind().String(), "TableCell") {
			d.addText(textOf(node, source))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return d, err
	}
	for _, image := range images { // a link: pictures are not in the binary
		link := ast.NewLink()
		link.Destination = []byte(target(string(image.Destination)))
		for child := image.FirstChild(); child != nil; child = image.FirstChild() {
			link.AppendChild(link, child)
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
	var body bytes.Buffer
	err = markdown.Renderer().Render(&body, source, root)
	// A block that scrolls can be reached by the keyboard.
	d.Body = template.HTML(strings.ReplaceAll(body.String(), "<pre>", `<pre tabindex="0">`))
	return d, err
}

// addText adds text to the last section.
func (d *document) addText(text string) {
	if n := len(d.sections); n > 0 {
		d.sections[n-1].text += text + " "
	}
}

// pathOf returns the path of the page of a file.
func pathOf(name string) string { return Path + "/" + strings.TrimSuffix(name, ".md") }

// target returns where a link of a document leads: to another document's page,
// to the page itself, elsewhere, or to a file in the repository.
func target(link string) string {
	file, anchor, hasAnchor := strings.Cut(link, "#")
	switch {
	case file == "", strings.Contains(link, "://"), strings.HasPrefix(link, "mailto:"):
		return link
	case strings.HasSuffix(file, ".md") && !strings.Contains(file, "/"):
		file = pathOf(file)
	default:
		file = repository + path.Join("docs", file)
	}
	if hasAnchor {
		return file + "#" + anchor
	}
	return file
}

// textOf returns the text of a node without marks.
func textOf(node ast.Node, source []byte) string {
	var out strings.Builder
	if node.Type() == ast.TypeBlock && node.ChildCount() == 0 {
		for i := range node.Lines().Len() {
			line := node.Lines().At(i)
			out.Write(line.Value(source))
		}
	}
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(source))
			if n.SoftLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.AutoLink:
			out.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
