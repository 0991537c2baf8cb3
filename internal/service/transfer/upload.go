// Package transfer brings lists from clients to jobs, and their results back,
// for the API and the pages alike: in all forms in which clients send lists,
// within their limits, for as long as something arrives.
package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
)

// List is a list that a client has sent, and what it says about it.
type List struct {
	Spool  *jobs.Spool // nil: none has arrived
	Format jobs.Format
	// Charset is what the media type says of the encoding; empty: nothing.
	Charset string
	File    string     // the name of the file, without its folder
	Fields  url.Values // the texts beside the list
}

// Close drops the list.
func (l *List) Close() {
	if l.Spool != nil {
		l.Spool.Close()
	}
}

// Form says what a client may send.
type Form struct {
	Fields   []string                      // names of the texts beside the list; others are passed over
	OnlyForm bool                          // nothing but multipart/form-data
	Begin    func(fields url.Values) error // called before the list is read; its error ends that; may be nil
}

// BodyError says what is wrong with a body, in a sentence for the client.
type BodyError struct{ text string }

func (e *BodyError) Error() string { return e.text }

// The errors of a body that is not taken. Others are those of [Form.Begin], of
// [jobs.Manager.Receive], a *[BodyError], and that of a body which did not
// arrive whole.
var (
	ErrMediaType = errors.New("the media type is none of a list")
	ErrEncoding  = errors.New("the body is compressed in another way than with gzip")
	ErrNotGzip   = errors.New("the body is not compressed with gzip")
	ErrNoFile    = errors.New("the form has no file")
	ErrFiles     = errors.New("the form has more than one file")
)

// Bounds of what is beside the list.
const (
	maxField  = 8 << 10
	maxAround = 64 << 10
)

// Receive reads a list from a request, in one of the forms in which clients
// send it. Body is that of the request: see [Patient]. The list has what
// arrived even if there is an error; close it.
func Receive(m *jobs.Manager, w http.ResponseWriter, r *http.Request, body io.Reader, f Form) (*List, error) {
	l := &List{Fields: make(url.Values)}
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := mediaType == "multipart/form-data"
	if err != nil || f.OnlyForm && !isForm {
		return l, ErrMediaType
	}
	if mediaType != "application/json" { // which may have any number of blanks
		most := m.MaxOctets() + maxAround
		if r.ContentLength > most {
			return l, &jobs.SizeError{Most: m.MaxOctets()}
		}
		body = http.MaxBytesReader(w, io.NopCloser(body), most)
	}
	text, err := decoded(r, body)
	switch {
	case err != nil:
	case isForm:
		err = l.readForm(r.Context(), m, multipart.NewReader(text, parameters["boundary"]), f)
	default:
		l.Charset = parameters["charset"]
		err = l.readList(r.Context(), m, text, mediaType)
	}
	if errors.As(err, new(*http.MaxBytesError)) {
		err = &jobs.SizeError{Most: m.MaxOctets()}
	}
	if errors.Is(err, list.ErrExpands) {
		err = &jobs.ListError{Err: err}
	}
	return l, err
}

// decoded undoes the Content-Encoding.
func decoded(r *http.Request, body io.Reader) (io.Reader, error) {
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
		return body, nil
	case "gzip":
		text, err := list.Gunzip(body)
		if err != nil {
			return nil, ErrNotGzip
		}
		return text, nil
	}
	return nil, ErrEncoding
}

func (l *List) readList(ctx context.Context, m *jobs.Manager, body io.Reader, mediaType string) (err error) {
	if mediaType == "application/json" {
		return l.readJSON(ctx, m, body)
	}
	format, known := list.FormatOfMediaType(mediaType)
	if !known {
		return ErrMediaType
	}
	l.Format.Format = format
	l.Spool, err = m.Receive(ctx, body)
	return err
}

// readForm reads the parts of a form; the list is its one file, whatever the
// name of that part.
func (l *List) readForm(ctx context.Context, m *jobs.Manager, form *multipart.Reader, f Form) error {
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF) && l.Spool == nil:
			return ErrNoFile
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case part.FileName() != "" || part.FormName() == "file" || hasFile(part):
			err = l.readFile(ctx, m, part, f)
		case slices.Contains(f.Fields, part.FormName()):
			var text []byte
			text, err = io.ReadAll(io.LimitReader(part, maxField))
			l.Fields.Add(part.FormName(), string(text))
		}
		if err != nil {
			return err
		}
	}
}

// hasFile reports whether a part is a file without a name: what a browser sends
// where none was chosen.
func hasFile(part *multipart.Part) bool {
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, named := parameters["filename"]
	return err == nil && named
}

// readFile reads the file of a form, whose name says what it is.
func (l *List) readFile(ctx context.Context, m *jobs.Manager, part *multipart.Part, f Form) (err error) {
	if l.Spool != nil {
		return ErrFiles
	}
	if f.Begin != nil {
		if err := f.Begin(l.Fields); err != nil {
			return err
		}
	}
	if part.FileName() != "" {
		l.File = path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	}
	l.Format.Format, l.Format.Delimiter = list.FormatOf(l.File), list.DelimiterOf(l.File)
	if _, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Type")); err == nil {
		l.Charset = parameters["charset"]
	}
	l.Spool, err = m.Receive(ctx, part)
	return err
}

// readJSON reads an object with addresses. As long as each is a string, the
// list becomes CSV; with the first that is an object, JSON lines.
func (l *List) readJSON(ctx context.Context, m *jobs.Manager, body io.Reader) error {
	raw, err := m.Receive(ctx, body)
	if err != nil {
		return err
	}
	defer raw.Close()
	for _, format := range []jobs.Format{addressesFormat, objectsFormat} {
		l.Format = format
		l.Spool, err = receiveAddresses(ctx, m, format, func(add func(json.RawMessage) error) error {
			return readAddresses(newJSONList(raw.Reader()), l, add)
		})
		if !errors.Is(err, errObject) {
			break
		}
	}
	return err
}
