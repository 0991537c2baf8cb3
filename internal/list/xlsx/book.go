package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/list/spool"
)

// ErrNoWorkbook reports a file that is no workbook of this kind.
var ErrNoWorkbook = errors.New("it is no .xlsx workbook")

// OtherKind is the error for a file that another program made, by its name.
type OtherKind string

func (o OtherKind) Error() string { return "it is " + string(o) }

// otherKinds are archives that are given by mistake, by a part that each has
// and how that begins.
var otherKinds = []struct {
	part, begins string
	kind         OtherKind
}{
	{"mimetype", "application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet (.ods)"},
	{"xl/workbook.bin", "", "a binary workbook (.xlsb)"},
	{"Index/Document.iwa", "", "a document of Numbers or Pages"},
	{"Index.zip", "", "a document of Numbers or Pages"},
	{"word/document.xml", "", "a text document (.docx)"},
	{"ppt/presentation.xml", "", "a presentation (.pptx)"},
	{"mimetype", "application/vnd.oasis.opendocument.", "an OpenDocument file (.odt, .odp)"},
	{"mimetype", "application/epub", "a book (.epub)"},
	{"META-INF/MANIFEST.MF", "", "a program (.jar, .apk)"},
}

// IsBook reports whether an archive is a workbook, or a file of another kind
// that has a name of its own.
func IsBook(parts *zip.Reader) bool {
	b := &Book{parts: parts}
	return b.part("_rels/.rels") != nil || b.part("[Content_Types].xml") != nil || b.otherKind() != nil
}

// otherKind names a file that is no workbook of ours, if it is one that is
// known.
func (b *Book) otherKind() error {
	for _, other := range otherKinds {
		part := b.part(other.part)
		if part == nil {
			continue
		}
		opened, err := part.Open()
		if err != nil {
			continue
		}
		begins := make([]byte, len(other.begins))
		_, err = io.ReadFull(opened, begins)
		_ = opened.Close()
		if err == nil && string(begins) == other.begins {
			return other.kind
		}
	}
	return nil
}

// maxSheets bounds the sheets of a workbook.
const maxSheets = 10_000

// Book is a workbook that is read.
type Book struct {
	file    *spool.Spool
	parts   *zip.Reader
	sheets  []sheet
	formats []Kind // what the numbers of each cell format are
	epoch   time.Time
	stale   bool // results of formulas are to be calculated anew
	strings texts
}

type sheet struct{ name, part string }

// Read reads a workbook from r. Folder is where what does not fit in memory
// waits; if it is empty, the folder for temporary files. Close the Book.
func Read(r io.Reader, folder string) (*Book, error) {
	file, err := spool.Of(r, folder)
	if err != nil {
		return nil, err
	}
	parts, err := zip.NewReader(file, file.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoWorkbook, err), file.Close())
	}
	return Open(file, parts)
}

// Open reads a workbook from the parts of an archive in a file, which it closes
// if it fails. Close the Book.
func Open(file *spool.Spool, parts *zip.Reader) (*Book, error) {
	b := &Book{file: file, parts: parts, epoch: epoch1900}
	b.strings.octets.Folder = file.Folder
	if err := b.open(); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Book) open() error {
	if err := b.otherKind(); err != nil {
		return err
	}
	main, err := b.related("", "/officeDocument")
	if err != nil {
		return err
	}
	for _, part := range main {
		return b.readMain(part)
	}
	return ErrNoWorkbook
}

// readMain reads the part that names the sheets.
func (b *Book) readMain(main string) error {
	sheets, err := b.related(main, "/worksheet")
	if err != nil {
		return err
	}
	err = b.elements(main, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if on, err := strconv.ParseBool(attribute(e, "date1904")); err == nil && on {
				b.epoch = epoch1904
			}
		case "calcPr":
			if on, err := strconv.ParseBool(attribute(e, "fullCalcOnLoad")); err == nil {
				b.stale = on
			}
		case "sheet":
			if part, found := sheets[relationID(e)]; found && len(b.sheets) < maxSheets {
				b.sheets = append(b.sheets, sheet{attribute(e, "name"), part})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(b.sheets) == 0 {
		return fmt.Errorf("%w: it has no sheet", ErrNoWorkbook)
	}
	if err := b.readStyles(main); err != nil {
		return err
	}
	found, err := b.related(main, "/sharedStrings")
	for _, part := range found {
		err = b.readStrings(part)
	}
	return err
}

// relationID is the attribute r:id, which is beside one without a name space in
// some elements.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// related returns the parts that a part refers to by a kind of relationship.
// The keys are the identifiers of the relationships.
func (b *Book) related(part, kind string) (map[string]string, error) {
	folder, _ := path.Split(part)
	return b.relations(part, kind, func(target, mode string) (string, bool) {
		if !strings.HasPrefix(target, "/") {
			target = path.Join("/", folder, target)
		}
		return strings.TrimPrefix(target, "/"), mode != "External"
	})
}

// relations returns what a part refers to by a kind of relationship, which
// differs between the editions of the standard except for its end. Wanted
// returns what a target means, and whether it counts.
func (b *Book) relations(
	part, kind string, wanted func(target, mode string) (string, bool),
) (map[string]string, error) {
	folder, name := path.Split(part)
	relations := folder + "_rels/" + name + ".rels"
	found := make(map[string]string)
	if b.part(relations) == nil {
		return found, nil
	}
	err := b.elements(relations, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), kind) && len(found) < maxLinks {
			if target, counts := wanted(attribute(e, "Target"), attribute(e, "TargetMode")); counts {
				found[attribute(e, "Id")] = target
			}
		}
		return nil
	})
	return found, err
}

// part finds a part. Some programs write their names with backslashes or in
// other cases.
func (b *Book) part(name string) *zip.File {
	at := slices.IndexFunc(b.parts.File, func(f *zip.File) bool {
		return strings.EqualFold(strings.ReplaceAll(f.Name, `\`, "/"), name)
	})
	if at < 0 {
		return nil
	}
	return b.parts.File[at]
}

// tokens opens a part.
func (b *Book) tokens(name string) (*tokens, *zip.File, error) {
	part := b.part(name)
	if part == nil {
		return nil, nil, fmt.Errorf("it lacks its part %q", name)
	}
	opened, err := part.Open()
	if err != nil {
		return nil, nil, err
	}
	return newTokens(opened, b.file.Size()), part, nil
}

// elements calls visit for each element of a part.
func (b *Book) elements(name string, visit func(xml.StartElement) error) error {
	t, _, err := b.tokens(name)
	if err != nil {
		return err
	}
	defer t.part.Close()
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, is := token.(xml.StartElement); is {
			if err := visit(e); err != nil {
				return err
			}
		}
	}
}

// Sheets returns the names of the sheets, in the order of their tabs.
func (b *Book) Sheets() []string {
	var names []string
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	return names
}

// Size is the size of the workbook's file.
func (b *Book) Size() int64 { return b.file.Size() }

// Close removes the temporary files.
func (b *Book) Close() error { return errors.Join(b.file.Close(), b.strings.octets.Close()) }
