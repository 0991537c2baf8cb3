package api

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/transfer"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// upload is a list that a client sends, and what it says about it.
type upload struct {
	*transfer.List
	name, webhook    string
	since            jobs.Since
	comparedWith     string
	notify           string
	progress, dryRun bool
}

// uploadFields are the texts beside a list, in a query or a form. Only
// columnField may have several values.
var uploadFields = slices.Concat([]string{
	"name", "webhook", columnField, "sheet", "header_row", "encoding", "webhook_progress", "dry_run",
}, sinceFields)

const columnField = "column"

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
	if err != nil {
		x.LeaveBody(r)
		s.jobFault(x, err)
		return false
	}
	defer u.Close()
	defer extendWrite(x)
	if u.dryRun {
		return s.planJob(x, r, u, grant)
	}
	if token != nil {
		token.Body = u.digest()
		if claim.Job != "" {
			return s.repeated(x, r, grant, claim.Job, claim.Body == token.Body)
		}
	}
	o := u.request(grant)
	o.Token = token
	j, err := s.config.Jobs.Create(r.Context(), u.Spool, o)
	made = err == nil
	extendWrite(x)
	if err == nil {
		x.Note(slog.String("job", j.ID), slog.Int64("rows", j.Rows))
		x.Header().Set("Location", bulkRoute+"/"+j.ID)
	}
	return s.answerJob(x, http.StatusAccepted, j, err)
}

// request is what is to become of the list.
func (u *upload) request(grant *keyring.Grant) jobs.Request {
	return jobs.Request{
		By: by(grant), Owner: ownerOf(grant), Owners: ownersOf(grant), Key: grant.ID, Quota: grant.Key().MonthlyQuota,
		Name: u.name, Webhook: u.webhook, Progress: u.progress, Format: u.Format,
		Since: u.since, ComparedWith: u.comparedWith, Notify: u.notify,
	}
}

// digest identifies the list and all that was said about it.
func (u *upload) digest() rows.Hash {
	columns := strings.Join(u.Format.Columns, "\x00")
	all := []string{u.name, u.webhook, columns, string(u.Format.Format), fmt.Sprint(u.progress)}
	if f := u.Format; f.Sheet != "" || f.HeaderRow != 0 || f.Encoding != "" {
		all = append(all, f.Sheet, strconv.Itoa(f.HeaderRow), f.Encoding)
	}
	if more := fmt.Sprint(u.since, u.comparedWith, u.notify); more != fmt.Sprint(jobs.Since{}, "", "") {
		all = append(all, more)
	}
	return u.Spool.Digest(all...)
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
	Most    int64 `json:"estimated_most_seconds"`

	List *listRecord `json:"list"`
}

func (s *Server) planJob(x *exchange.Exchange, r *http.Request, u *upload, grant *keyring.Grant) bool {
	plan, err := s.config.Jobs.Plan(r.Context(), u.Spool, u.request(grant))
	extendWrite(x)
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	x.JSON(http.StatusOK, planRecord{
		plan, int64(plan.Least / time.Second), int64(plan.Most / time.Second), recordOfList(plan.Found),
	})
	return true
}

// receive reads a list from the body, in one of the forms in which clients send
// it. The caller closes it, unless there is an error.
func (s *Server) receive(x *exchange.Exchange, r *http.Request) (*upload, error) {
	given, q := make(url.Values), x.QueryOf(r)
	for _, name := range uploadFields {
		given[name] = q.All(name)
	}
	if err := contradiction(given, nil); err != nil {
		return nil, err
	}
	list, err := transfer.Receive(s.config.Jobs, x, r, transfer.Patient(x, r.Body, readTimeout),
		transfer.Form{Fields: uploadFields})
	if err != nil {
		list.Close()
		return nil, bodyFault(err)
	}
	u := &upload{List: list}
	if err = contradiction(given, list.Fields); err == nil {
		maps.Copy(given, list.Fields)
		err = u.read(given)
	}
	if err == nil && u.notify != "" && !s.config.Mails {
		err = exchange.BadRequest(exchange.InvalidParameter,
			`"notify": this server sends no mail. Its operator can name a relay with --alert-relay.`)
	}
	if err != nil {
		u.Close()
		return nil, err
	}
	return u, nil
}

// contradiction finds what is said in two ways, in a query or a form or both.
func contradiction(query, form url.Values) error {
	for _, name := range uploadFields {
		inQuery, inForm := query[name], form[name]
		all := slices.Concat(inQuery, inForm)
		differs := func(text string) bool { return text != all[0] }
		switch {
		case name == columnField && (len(inQuery) == 0 || len(inForm) == 0 || slices.Equal(inQuery, inForm)):
		case slices.ContainsFunc(all, differs):
			return exchange.BadRequest(exchange.InvalidParameter, "The parameter %q is given with two values.", name)
		}
	}
	return nil
}

// bodyFaults are the answers to a body that is not taken.
var bodyFaults = map[error]error{
	transfer.ErrMediaType: exchange.NewFault(http.StatusUnsupportedMediaType, exchange.MediaTypeNotTaken,
		"Send the list as text/csv, text/plain, application/x-ndjson, application/json, text/html, "+
			"text/vcard, .xlsx or as the file of a multipart/form-data."),
	transfer.ErrEncoding: exchange.NewFault(http.StatusUnsupportedMediaType, exchange.MediaTypeNotTaken,
		"The body may be compressed with gzip (Content-Encoding), and in no other way."),
	transfer.ErrNotGzip: exchange.NewFault(http.StatusUnprocessableEntity, exchange.InvalidList,
		"The body is not compressed with gzip."),
	transfer.ErrNoFile: exchange.NewFault(http.StatusBadRequest, exchange.MissingParameter,
		`The form has no file: send the list as the part "file".`),
	transfer.ErrFiles: exchange.NewFault(http.StatusBadRequest, exchange.InvalidBody,
		"The form has more than one file: send each list in a request of its own."),
}

// bodyFault is the error of a body that did not arrive, as a [exchange.Fault];
// others stay.
func bodyFault(err error) error {
	for known, fault := range bodyFaults {
		if errors.Is(err, known) {
			return fault
		}
	}
	var body *transfer.BodyError
	switch {
	case errors.As(err, &body):
		return exchange.BadRequest(exchange.InvalidBody, "%s", body)
	case errors.As(err, new(*jobs.DiskError)), errors.As(err, new(*jobs.ListError)), errors.Is(err, jobs.ErrTooLarge):
		return err
	}
	return exchange.BadRequest(exchange.InvalidBody,
		"The body is incomplete, not well-formed, or did not arrive in time.")
}

// extendWrite gives an answer that could not be written before its time.
func extendWrite(x *exchange.Exchange) {
	_ = http.NewResponseController(x).SetWriteDeadline(time.Now().Add(readTimeout))
}

// printable reports whether a text is UTF-8 without control characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// read takes the texts beside the list, and refuses those that cannot be stored
// or used.
func (u *upload) read(given url.Values) (err error) {
	const most = 200
	u.name = strings.TrimSpace(rows.PlainName(cmp.Or(given.Get("name"), u.File)))
	u.webhook = given.Get("webhook")
	if err := u.readChoices(given); err != nil {
		return err
	}
	if len(u.name) > most || !printable(u.name) {
		return exchange.BadRequest(exchange.InvalidParameter,
			`"name" must have %d octets at most, and no control characters.`, most)
	}
	progress := cmp.Or(given.Get("webhook_progress"), "0")
	if u.progress, err = exchange.ReadSwitch("webhook_progress", progress); err == nil {
		u.dryRun, err = exchange.ReadSwitch("dry_run", cmp.Or(given.Get("dry_run"), "0"))
	}
	if err == nil {
		err = u.readSince(given)
	}
	if err == nil {
		err = u.readNotify(given)
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
