package list

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/list/spool"
	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// openArchive reads the sheet of a workbook, or the one file of another
// archive.
func (t *Text) openArchive(o Options) error {
	file, err := spool.Of(t.Reader, o.Folder)
	if err != nil {
		return err
	}
	parts, err := zip.NewReader(file, file.Size())
	switch {
	case err != nil:
		err = formatError("it is a ZIP archive, or a spreadsheet (.xlsx), that is damaged or cut off (%v): "+
			"save the list as .xlsx or CSV", err)
	case xlsx.IsBook(parts):
		return t.openWorkbook(file, parts, o)
	case o.unpacked:
		err = formatError("it is an archive in an archive: unpack it first")
	default:
		err = t.openOnly(file, parts)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	t.Packing, t.closers = Zip, append([]io.Closer{file}, t.closers...)
	return nil
}

// openWorkbook reads a sheet. It takes the file over.
func (t *Text) openWorkbook(file *spool.Spool, parts *zip.Reader, o Options) error {
	workbook := table{open: func(io.Reader, Options) (book, error) {
		found, err := xlsx.Open(file, parts)
		if err != nil {
			return nil, err
		}
		return bookOf{found}, nil
	}}
	err := t.openSheet(&workbook, o)
	if other := xlsx.OtherKind(""); errors.As(err, &other) {
		return formatError("%v: %s", other, asOther)
	}
	if errors.Is(err, xlsx.ErrNoWorkbook) {
		return formatError("it is a ZIP archive, but no whole spreadsheet (.xlsx): " +
			"save the list as .xlsx or CSV, or unpack it first")
	}
	return err
}

// encrypted is a flag of a file in an archive (APPNOTE.TXT 4.4.4).
const encrypted = 1

// openOnly reads the one file of an archive. What an archive unpacks to is
// bounded as for other packings.
func (t *Text) openOnly(file *spool.Spool, parts *zip.Reader) error {
	files := slices.DeleteFunc(slices.Clone(parts.File), func(f *zip.File) bool { return isBeside(f.Name) })
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	switch {
	case len(files) == 0:
		return formatError("it is a ZIP archive without a file: choose another file")
	case len(files) > 1:
		return formatError("it is a ZIP archive of %d files: unpack it and choose one, such as with "+
			"unzip -p FILE %q | rcpt bulk -; the files are %s", len(files), likeliest(names), listed(names))
	case files[0].Flags&encrypted != 0:
		return formatError("it is a ZIP archive with a password: unpack it first")
	}
	only, err := files[0].Open()
	if err != nil {
		return formatError("it is a ZIP archive that cannot be read (%v): unpack it first", err)
	}
	size := file.Size()
	t.Reader = newText(&guarded{from: only, packing: Zip, taken: size})
	t.closers = append(t.closers, only)
	return nil
}

// isBeside reports whether an entry of an archive is no file, or one that a
// system put there.
func isBeside(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	base := path.Base(name)
	return strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") || base == ".DS_Store" ||
		strings.EqualFold(base, "thumbs.db") || strings.EqualFold(base, "desktop.ini")
}

// likeliest returns the first name of a list, or else the first.
func likeliest(names []string) string {
	at := slices.IndexFunc(names, func(name string) bool { return FormatOf(name) != "" })
	return names[max(at, 0)]
}
