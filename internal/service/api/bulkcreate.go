package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// upload is a list that a client sends, and what it says about it.
type upload struct {
	spool                 *jobs.Spool
	format                jobs.Format
	name, webhook, column string
	switched, dry         string // webhook_progress and dry_run, as they were given
	progress, dryRun      bool
}

// fields are the texts beside the list, by their name in a query or a form.
func (u *upload) fields() map[string]*string {
	return map[string]*string{
		"name": &u.name, "webhook": &u.webhook, "column": &u.column,
		"webhook_progress": &u.switched, "dry_run": &u.dry,
	}
}

func (u *upload) close() {
	if u.spool != nil {
		u.spool.Close()
	}
}

// maxField bounds a field of a form beside the list.
const maxField = 8 << 10

// maxAround bounds what a form has around the list.
const maxAround = 64 << 10

// createJob answers POST of a list.
func (s *Server) createJob(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	rateFields(x.Header(), grant.Rate())
	x.NoteVerification()
	token, err := readToken(x.QueryOf(r), r, ownerOf(grant))
	if err != nil {
		x.LeaveBody(r)
		s.mistaken(x, grant, err)
		return false
	}
	end, err := s.config.Jobs.BeginUpload(r.Context(), ownerOf(grant))
	if err != nil {
		x.LeaveBody(r)
		s.jobFault(x, err)
		return false
	}
	defer end()
	made := false
	var claim *jobs.Claim
	if token != nil {
		if claim, err = s.config.Jobs.Claim(r.Context(), *token); err != nil {
			x.LeaveBody(r)
			s.jobFault(x, err)
			return false
		}
		defer func() { claim.End(made) }()
	}
	u, err := s.receive(x, r)
	defer u.close()
	if err != nil {
		x.LeaveBody(r)
		s.jobFault(x, err)
		return false
	}
	defer extendWrite(x)
	u.format.Column = u.column
	if u.dryRun {
		return s.planJob(x, r, u)
	}
	if token != nil {
		token.Body = u.spool.Digest(u.name, u.webhook, u.column, string(u.format.Format), fmt.Sprint(u.progress))
		if claim.Job != "" {
			return s.repeated(x, r, grant, claim.Job, claim.Body == token.Body)
		}
	}
	j, err := s.config.Jobs.Create(r.Context(), u.spool, jobs.Request{
		Owner: ownerOf(grant), Key: grant.ID, Quota: grant.Key().MonthlyQuota,
		Name: u.name, Webhook: u.webhook, Progress: u.progress,
		Format: u.format, Token: token,
	})
	made = err == nil
	extendWrite(x)
	if err == nil {
		x.Note(slog.String("job", j.ID), slog.Int64("rows", j.Rows))
		x.Header().Set("Location", bulkRoute+"/"+j.ID)
	}
	return s.answerJob(x, http.StatusAccepted, j, err)
}

// readToken reads the Idempotency-Key. Every error is a [exchange.Fault].
func readToken(q *exchange.Query, r *http.Request, owner string) (*rows.JobRequest, error) {
	if q.Err != nil {
		return nil, q.Err
	}
	switch given := r.Header.Values("Idempotency-Key"); {
	case len(given) == 0:
		return nil, nil
	case len(given) > 1 || given[0] == "" || len(given[0]) > 255:
		return nil, exchange.BadRequest(exchange.InvalidParameter,
			"The header Idempotency-Key must be one text of 255 octets at most.")
	default:
		return &rows.JobRequest{Owner: owner, Token: rows.HashOf(given[0])}, nil
	}
}

// repeated answers a request that has led to a job before.
func (s *Server) repeated(x *exchange.Exchange, r *http.Request, grant *keyring.Grant, job string, same bool) bool {
	if !same {
		s.jobFault(x, exchange.NewFault(http.StatusUnprocessableEntity, exchange.KeyReused,
			"This Idempotency-Key was used with another list."))
		return false
	}
	j, err := s.config.Jobs.Job(r.Context(), job, ownersOf(grant))
	if err == nil {
		x.Header().Set("Location", bulkRoute+"/"+j.ID)
	}
	return s.answerJob(x, http.StatusAccepted, j, err)
}

// planRecord is the answer to a dry run.
type planRecord struct {
	jobs.Plan
	Seconds int64 `json:"estimated_seconds"`
}

func (s *Server) planJob(x *exchange.Exchange, r *http.Request, u *upload) bool {
	plan, err := s.config.Jobs.Plan(r.Context(), u.spool, u.format)
	extendWrite(x)
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	x.JSON(http.StatusOK, planRecord{plan, int64(plan.Estimated / time.Second)})
	return true
}

// receive reads a list from the body, in one of the forms in which clients send
// it.
func (s *Server) receive(x *exchange.Exchange, r *http.Request) (*upload, error) {
	u := new(upload)
	q := x.QueryOf(r)
	for name, field := range u.fields() {
		text, _, err := q.One(name)
		if err != nil {
			return u, err
		}
		*field = text
	}
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return u, notTaken()
	}
	// JSON may have any number of blanks.
	if most := s.config.Jobs.MaxOctets(); r.ContentLength > most+maxAround && mediaType != "application/json" {
		return u, fmt.Errorf("%w: it has more than %d octets", jobs.ErrTooLarge, most)
	}
	body := newBody(x, r)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		if body, err = list.Gunzip(body); err != nil {
			return u, exchange.NewFault(http.StatusUnprocessableEntity, exchange.InvalidList,
				"The body is not compressed with gzip.")
		}
	default:
		return u, exchange.NewFault(http.StatusUnsupportedMediaType, exchange.MediaTypeNotTaken,
			"The body may be compressed with gzip (Content-Encoding), and in no other way.")
	}
	if mediaType == "multipart/form-data" {
		err = s.receiveForm(r, u, body, parameters["boundary"])
	} else {
		err = s.receiveList(r, u, body, mediaType)
	}
	if err != nil {
		return u, bodyFault(err)
	}
	return u, u.check()
}

func notTaken() error {
	return exchange.NewFault(http.StatusUnsupportedMediaType, exchange.MediaTypeNotTaken,
		"Send the list as text/csv, text/plain, application/x-ndjson, application/json, .xlsx "+
			"or as the file of a multipart/form-data.")
}

// bodyFault is the error of a body that did not arrive, as a [exchange.Fault];
// others stay.
func bodyFault(err error) error {
	var f *exchange.Fault
	var disk *jobs.DiskError
	var listed *jobs.ListError
	switch {
	case errors.Is(err, list.ErrExpands):
		return &jobs.ListError{Err: err}
	case errors.As(err, &f), errors.As(err, &disk), errors.As(err, &listed), errors.Is(err, jobs.ErrTooLarge):
		return err
	}
	return exchange.BadRequest(exchange.InvalidBody,
		"The body is incomplete, not well-formed, or did not arrive in time.")
}

func (s *Server) receiveList(r *http.Request, u *upload, body io.Reader, mediaType string) (err error) {
	if mediaType == "application/json" {
		return s.receiveJSON(r, u, body)
	}
	format, known := list.FormatOfMediaType(mediaType)
	if !known {
		return notTaken()
	}
	u.format.Format = format
	u.spool, err = s.config.Jobs.Receive(r.Context(), body)
	return err
}

// receiveForm reads the parts of a form; the list is its one file, whatever the
// name of that part.
func (s *Server) receiveForm(r *http.Request, u *upload, body io.Reader, boundary string) error {
	form := multipart.NewReader(body, boundary)
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF) && u.spool == nil:
			return exchange.BadRequest(exchange.MissingParameter,
				`The form has no file: send the list as the part "file".`)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		isFile := part.FileName() != "" || part.FormName() == "file"
		if field := u.fields()[part.FormName()]; field != nil && !isFile {
			text, err := io.ReadAll(io.LimitReader(part, maxField))
			if err != nil {
				return err
			}
			*field = string(text)
			continue
		}
		if !isFile {
			continue
		}
		if u.spool != nil {
			return exchange.BadRequest(exchange.InvalidBody,
				"The form has more than one file: send each list in a request of its own.")
		}
		if err := s.receiveFile(r, u, part); err != nil {
			return err
		}
	}
}

// receiveFile reads the file of a form, whose name says what it is.
func (s *Server) receiveFile(r *http.Request, u *upload, part *multipart.Part) (err error) {
	name := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	u.format.Format, u.format.Delimiter = list.FormatOf(name), list.DelimiterOf(name)
	if u.name == "" && name != "." {
		u.name = name
	}
	u.spool, err = s.config.Jobs.Receive(r.Context(), part)
	return err
}

// receiveJSON reads an object with addresses. As long as each is a string, the
// list becomes CSV; with the first that is an object, JSON lines.
func (s *Server) receiveJSON(r *http.Request, u *upload, body io.Reader) error {
	raw, err := s.config.Jobs.Receive(r.Context(), body)
	if err != nil {
		return err
	}
	defer raw.Close()
	for _, format := range []jobs.Format{jobs.AddressesFormat, jobs.ObjectsFormat} {
		u.format, u.column = format, format.Column
		u.spool, err = s.config.Jobs.ReceiveAddresses(r.Context(), format, func(add func(json.RawMessage) error) error {
			return readAddresses(newJSONList(raw.Reader()), u, add)
		})
		if !errors.Is(err, jobs.ErrObject) {
			break
		}
	}
	return err
}

// check refuses texts that cannot be stored or used.
func (u *upload) check() (err error) {
	const most = 200
	u.name = strings.TrimSpace(rows.PlainName(u.name))
	if len(u.name) > most || !printable(u.name) {
		return exchange.BadRequest(exchange.InvalidParameter,
			`"name" must have %d octets at most, and no control characters.`, most)
	}
	if u.progress, err = exchange.ReadSwitch("webhook_progress", cmp.Or(u.switched, "0")); err == nil {
		u.dryRun, err = exchange.ReadSwitch("dry_run", cmp.Or(u.dry, "0"))
	}
	if err != nil {
		return err
	}
	if u.webhook == "" {
		if u.progress {
			return exchange.BadRequest(exchange.InvalidParameter, `"webhook_progress" needs a "webhook".`)
		}
		return nil
	}
	if len(u.webhook) > 2*most {
		return exchange.BadRequest(exchange.InvalidParameter, `"webhook" must have %d octets at most.`, 2*most)
	}
	if err := webhook.CheckURL(u.webhook); err != nil {
		return exchange.BadRequest(exchange.InvalidParameter, `"webhook" cannot be used: %s.`, err)
	}
	return nil
}
