package dashboard

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// maxListName bounds the name of a list.
const maxListName = 120

// sendList takes a list. Its form has two parts: the token, and the file. The
// file is not read before the token was found genuine, nor is it kept in
// memory.
func (d *Dashboard) sendList(v *visit) error {
	if v.r.ContentLength > d.config.Lists.MaxOctets()+maxForm {
		v.leaveBody()
		return d.refuseList(v, http.StatusRequestEntityTooLarge,
			"The file is larger than "+sizeText(d.config.Lists.MaxOctets())+".")
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, d.config.Lists.MaxOctets()+maxForm)
	parts, err := v.r.MultipartReader()
	if err != nil {
		v.leaveBody()
		return errTooLong
	}
	part, err := parts.NextPart()
	if err != nil || part.FormName() != "token" {
		v.leaveBody()
		return errForged
	}
	token, err := io.ReadAll(io.LimitReader(part, maxListName))
	if err != nil || subtle.ConstantTimeCompare(token, []byte(tokenOf(v.cookie))) != 1 {
		v.leaveBody()
		return errForged
	}
	if part, err = parts.NextPart(); err != nil || part.FormName() != "list" {
		v.leaveBody()
		return errTooLong
	}
	name := listName(part.FileName())
	end, err := d.config.Lists.BeginUpload(v.r.Context(), v.account.ID)
	if err != nil {
		v.leaveBody()
		return d.refuseList(v, faultStatus(err), faultText(err, d.config.Lists.MaxOctets()))
	}
	defer end()
	spool, err := d.config.Lists.Receive(v.r.Context(), &exchange.SpeedReader{From: patient{part, v.w}})
	if err != nil {
		v.leaveBody()
		return d.refuseList(v, faultStatus(err), faultText(err, d.config.Lists.MaxOctets()))
	}
	if _, err := parts.NextPart(); err == nil {
		v.leaveBody()
		spool.Close()
		return d.refuseList(v, http.StatusUnprocessableEntity, "Send one file at a time.")
	}
	if name == "" && spool.Size() == 0 {
		spool.Close()
		return d.refuseList(v, http.StatusUnprocessableEntity, "Choose a file first.")
	}
	if _, err := d.config.Lists.Look(spool, jobs.Format{}, lookRows); err != nil {
		spool.Close()
		return d.refuseList(v, faultStatus(err), faultText(err, d.config.Lists.MaxOctets()))
	}
	v.takesLong()
	id, err := d.config.Lists.KeepDraft(v.r.Context(), v.account.ID, cmp.Or(name, "List"), spool)
	if err != nil {
		spool.Close()
		return err
	}
	d.drafts.add(id, &draft{spool: spool, at: d.config.Now()})
	return v.redirect("/new-list/" + id)
}

// refuseList shows the page of all lists with what is wrong with one.
func (d *Dashboard) refuseList(v *visit, status int, text string) error {
	v.status = status
	var p page
	p.Faults.add("list", text)
	return d.renderLists(v, p)
}

// patient reads a body that may take long, as long as something arrives.
type patient struct {
	io.Reader
	w http.ResponseWriter
}

// patience is how long nothing may arrive.
const patience = 20 * time.Second

func (p patient) Read(into []byte) (int, error) {
	// A writer that does not support this has no connection.
	control := http.NewResponseController(p.w)
	_ = control.SetReadDeadline(time.Now().Add(patience))
	_ = control.SetWriteDeadline(time.Now().Add(5 * patience))
	return p.Reader.Read(into)
}

// listName is the name of a list after that of its file.
func listName(file string) string {
	name := plainName(path.Base(strings.ReplaceAll(file, `\`, "/")))
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
	case errors.Is(err, jobs.ErrTooLarge), errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &disk), errors.As(err, new(*jobs.BusyError)):
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// faultText says why a list cannot be taken.
func faultText(err error, most int64) string {
	var disk *jobs.DiskError
	var list *jobs.ListError
	var busy *jobs.BusyError
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return "The file is larger than " + sizeText(most) + "."
	case errors.Is(err, jobs.ErrTooLarge):
		return strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + "."
	case errors.Is(err, jobs.ErrNoAddress):
		return "The file has no row with an address."
	case errors.As(err, &busy):
		return strings.ToUpper(busy.Error()[:1]) + busy.Error()[1:] + "."
	case errors.As(err, &disk):
		return "The server cannot keep the file at the moment. Try again later."
	case errors.As(err, &list):
		return "The file cannot be read as a list: " + withoutFlags(list.Error()) + "."
	}
	return "The file did not arrive completely. Try again."
}

// withoutFlags removes the advice for the command line.
func withoutFlags(text string) string {
	text, _, _ = strings.Cut(text, ": write --column")
	text, _, _ = strings.Cut(text, "; write --column")
	return strings.TrimSuffix(text, ".")
}

func isEnded(err error) bool { return errors.Is(err, store.ErrState) }
