package dashboard

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/transfer"
)

// maxListName bounds the name of a list.
const maxListName = 120

// sendList takes a list. Its form has two parts: the token, and the file. The
// file is not read before the token was found genuine, nor is it kept in
// memory.
func (d *Dashboard) sendList(v *visit) error {
	end := func() {}
	begin := func(fields url.Values) (err error) {
		if subtle.ConstantTimeCompare([]byte(fields.Get("token")), []byte(tokenOf(v.cookie))) != 1 {
			return errForged
		}
		end, err = d.config.Lists.BeginUpload(v.r.Context(), v.account.ID)
		return err
	}
	l, err := transfer.Receive(d.config.Lists, v.w, v.r, transfer.Patient(v.w, v.r.Body, patience),
		transfer.Form{Fields: []string{"token"}, OnlyForm: true, Begin: begin})
	defer func() { end() }()
	name := listName(l.File)
	switch {
	case err != nil:
		v.leaveBody()
	case name == "" && l.Spool.Size() == 0:
		err = errNoFile
	default:
		_, err = d.config.Lists.Look(l.Spool, jobs.Format{}, lookRows)
	}
	switch {
	case errors.Is(err, errForged), errors.Is(err, transfer.ErrNoFile):
		err = errForged
	case errors.Is(err, transfer.ErrMediaType), errors.Is(err, transfer.ErrEncoding), errors.Is(err, transfer.ErrNotGzip):
		err = errTooLong
	case err != nil:
		err = d.refuseList(v, faultStatus(err), faultText(err, d.config.Lists.MaxOctets()))
	default:
		return d.keepList(v, cmp.Or(name, "List"), l.Spool)
	}
	l.Close()
	return err
}

// keepList keeps a list until it is started.
func (d *Dashboard) keepList(v *visit, name string, spool *jobs.Spool) error {
	v.takesLong()
	id, err := d.config.Lists.KeepDraft(v.r.Context(), v.account.ID, name, spool)
	if err != nil {
		spool.Close()
		return err
	}
	d.drafts.add(id, &draft{spool: spool, at: d.config.Now()})
	if v.r.Header.Get("X-Part") == "upload" { // script follows by itself, once
		v.w.Header().Set("Location", "/new-list/"+id)
		v.w.WriteHeader(http.StatusCreated)
		return nil
	}
	return v.redirect("/new-list/" + id)
}

// refuseList shows the page of all lists with what is wrong with one.
func (d *Dashboard) refuseList(v *visit, status int, text string) error {
	v.status = status
	var p page
	p.Faults.add("list", text)
	return d.renderLists(v, p)
}

// patience is how long nothing may arrive.
const patience = 20 * time.Second

// errNoFile: the form was sent without a file.
var errNoFile = errors.New("no file was chosen")

// listName is the name of a list after that of its file.
func listName(file string) string {
	name := withoutExtensions(path.Base(strings.ReplaceAll(file, `\`, "/")))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name))
	if file == "" || name == "." || name == "/" {
		return ""
	}
	for len(name) > maxListName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

// faultStatus is the status for a list that cannot be taken.
func faultStatus(err error) int {
	var disk *jobs.DiskError
	switch {
	case errors.Is(err, jobs.ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &disk), errors.As(err, new(*jobs.BusyError)):
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// faultText says why a list cannot be taken.
func faultText(err error, most int64) string {
	var disk *jobs.DiskError
	var unread *jobs.ListError
	var busy *jobs.BusyError
	switch {
	case errors.As(err, new(*jobs.SizeError)):
		return "The file is larger than " + sizeText(most) + "."
	case errors.Is(err, jobs.ErrTooLarge), errors.Is(err, jobs.ErrNoAddress), errors.As(err, new(*jobs.SpaceError)):
		return sentence(err)
	case errors.Is(err, transfer.ErrFiles):
		return "Send one file at a time."
	case errors.Is(err, errNoFile):
		return "Choose a file first."
	case errors.Is(err, jobs.ErrNoSince):
		return "The list whose results were to be taken is deleted."
	case errors.As(err, &busy):
		return sentence(busy)
	case errors.As(err, &disk):
		return "The server cannot keep the file at the moment. Try again later."
	case errors.As(err, &unread):
		return "The file cannot be read as a list: " + withoutFlags(unread) + "."
	}
	return "The file did not arrive completely. Try again."
}

// sentence makes a sentence of an error.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// withoutFlags is the text of an error, without advice for the command line.
func withoutFlags(err error) string {
	text := err.Error()
	if wrong := new(list.FormatError); errors.As(err, &wrong) {
		text = wrong.WithoutFlags()
	}
	return strings.TrimSuffix(text, ".")
}

func isEnded(err error) bool { return errors.Is(err, store.ErrState) }
