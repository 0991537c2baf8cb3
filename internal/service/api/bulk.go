package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// The paths of jobs.
const (
	bulkRoute    = "/api/v1/bulk"
	jobRoute     = bulkRoute + "/{id}"
	resultsRoute = jobRoute + "/results"
)

// changeRoutes are the paths that change a job.
var changeRoutes = map[string]jobs.Change{
	jobRoute + "/pause": jobs.Pause, jobRoute + "/resume": jobs.Resume, jobRoute + "/cancel": jobs.Cancel,
}

// addBulk adds the routes of jobs.
func (s *Server) addBulk(all routes) {
	all[bulkRoute] = exchange.Only(func(x *exchange.Exchange, r *http.Request) {
		if r.Method == http.MethodPost {
			s.authorized(rows.ScopeBulk, s.createJob)(x, r)
			return
		}
		s.authorized(rows.ScopeBulk, s.listJobs)(x, r)
	}, http.MethodGet, http.MethodPost)
	all[jobRoute] = exchange.Only(s.authorized(rows.ScopeBulk, s.oneJob), http.MethodGet, http.MethodDelete)
	all[resultsRoute] = exchange.Only(s.authorized(rows.ScopeBulk, s.jobResults), http.MethodGet)
	all[againRoute] = exchange.Only(s.authorized(rows.ScopeBulk, s.jobAgain), http.MethodPost)
	for route, change := range changeRoutes {
		all[route] = exchange.Only(s.authorized(rows.ScopeBulk, func(x *exchange.Exchange, r *http.Request,
			grant *keyring.Grant) bool {
			return s.changeJob(x, r, grant, change)
		}), http.MethodPost)
	}
}

// jobRecord is a job as clients see it.
type jobRecord struct {
	ID        string                     `json:"id"`
	Name      string                     `json:"name"`
	State     rows.JobState              `json:"state"`
	Rows      int64                      `json:"rows"`
	Addresses int64                      `json:"addresses"`
	Done      int64                      `json:"done"`
	Results   map[string]int64           `json:"results"`
	Reasons   map[string]int64           `json:"reasons"`
	Groups    map[string]rows.GroupCount `json:"groups,omitempty"`
	Share     float64                    `json:"undeliverable_share"`
	Created   time.Time                  `json:"created_at"`
	Started   *time.Time                 `json:"started_at"`
	Finished  *time.Time                 `json:"finished_at"`
	Webhook   *string                    `json:"webhook"`
	Progress  bool                       `json:"webhook_progress,omitempty"`
	Problem   string                     `json:"problem,omitempty"`
	List      *listRecord                `json:"list,omitempty"`
	Reused    int64                      `json:"reused,omitempty"`
	Compared  *comparison                `json:"compared_with,omitempty"`

	// While it is verified.
	Rate    *float64          `json:"rate,omitempty"`
	Left    *int64            `json:"left_seconds,omitempty"`
	Waiting []headway.Waiting `json:"waiting,omitempty"`
}

func recordOfJob(j rows.Job) jobRecord {
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	record := jobRecord{
		ID: j.ID, Name: j.Name, State: j.State, Rows: j.Rows, Addresses: j.Addresses,
		Done: j.Done, Results: j.Results, Reasons: j.Reasons, Groups: j.Groups, Share: j.UndeliverableShare(),
		Created: j.Created, Started: at(j.Started), Finished: at(j.Finished), Progress: j.Progress, Problem: j.Problem,
		Reused: j.Reused,
	}
	if j.Webhook != "" {
		record.Webhook = &j.Webhook
	}
	record.List = recordOfList(jobs.FoundIn(j))
	return record
}

// listRecord says how the list of a job is read.
type listRecord struct {
	Format    string        `json:"format"`
	Sheet     string        `json:"sheet,omitempty"`
	Columns   []string      `json:"columns"`
	HeaderRow *int          `json:"header_row,omitempty"`
	Encoding  list.Encoding `json:"encoding,omitempty"`
	Guessed   bool          `json:"encoding_guessed,omitempty"`

	OtherColumns []string `json:"other_columns,omitempty"`
	OtherSheets  []string `json:"other_sheets,omitempty"`
}

// recordOfList returns nil for a list of an earlier version.
func recordOfList(found *jobs.Found) *listRecord {
	if found == nil {
		return nil
	}
	record := &listRecord{
		Format: found.Format.Name(), Sheet: found.Sheet, Columns: found.Columns,
		Encoding: found.Encoding, Guessed: found.EncodingGuessed,
		OtherColumns: found.OtherColumns, OtherSheets: found.OtherSheets,
	}
	if found.HeaderRow != 0 {
		row := max(0, found.HeaderRow) // 0: none names the columns
		record.HeaderRow = &row
	}
	return record
}

// liveRecord is a job with how it gets on, if it is being verified.
func (s *Server) liveRecord(ctx context.Context, j rows.Job) (jobRecord, error) {
	record := recordOfJob(j)
	if j.State != rows.JobQueued && j.State != rows.JobRunning {
		return record, nil
	}
	h, err := s.config.Jobs.Headway(ctx, j)
	if err != nil {
		return record, err
	}
	rate := math.Round(10*h.Rate) / 10
	record.Rate, record.Waiting = &rate, h.Waiting
	if h.Left >= 0 {
		left := int64(h.Left.Seconds())
		record.Left = &left
	}
	return record, nil
}

// by is a key, for the events of what it changes.
func by(grant *keyring.Grant) rows.Actor { return rows.ByKey(grant.ID, grant.Name) }

// ownerOf is whose a job of a key is: that of the account for which it was
// made, or of the key alone. A test key has its own, so that it does not see
// what its account has, and no list takes over results of one.
func ownerOf(grant *keyring.Grant) string {
	if grant.Test() {
		return grant.ID
	}
	return cmp.Or(grant.Key().Lists, grant.Key().Account, grant.ID)
}

// ownersOf are those whose jobs a key may see. A key that was made to replace
// others, one after the other, sees what those have made.
func ownersOf(grant *keyring.Grant) []string {
	if grant.Key().Account != "" && !grant.Test() {
		return []string{ownerOf(grant)}
	}
	return append(grant.Before(), ownerOf(grant))
}

// oneJob answers GET and DELETE of a job.
func (s *Server) oneJob(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	rateFields(x.Header(), grant.Rate())
	j, err := s.config.Jobs.Job(r.Context(), r.PathValue("id"), ownersOf(grant))
	if err == nil && r.Method == http.MethodDelete {
		err = s.config.Jobs.Delete(context.WithoutCancel(r.Context()), by(grant), j.ID, ownersOf(grant))
		return s.answerJob(x, http.StatusOK, j, err)
	}
	var record jobRecord
	if err == nil {
		record, err = s.liveRecord(r.Context(), j)
	}
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	record.Compared = s.compared(r.Context(), j, ownersOf(grant))
	x.JSON(http.StatusOK, record)
	return true
}

// changeJob answers POST to pause, resume or cancel a job.
func (s *Server) changeJob(x *exchange.Exchange, r *http.Request, grant *keyring.Grant, what jobs.Change) bool {
	rateFields(x.Header(), grant.Rate())
	ctx := context.WithoutCancel(r.Context())
	j, err := s.config.Jobs.Change(ctx, by(grant), r.PathValue("id"), ownersOf(grant), what)
	return s.answerJob(x, http.StatusOK, j, err)
}

func (s *Server) answerJob(x *exchange.Exchange, status int, j rows.Job, err error) bool {
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	x.JSON(status, recordOfJob(j))
	return true
}

// The numbers of jobs in an answer.
const (
	usualJobs = 50
	mostJobs  = 200
)

// listJobs answers GET of all jobs, the newest first.
func (s *Server) listJobs(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	q, limit := x.QueryOf(r), usualJobs
	text, given, err := q.One("limit")
	if err == nil && q.Err != nil {
		err = q.Err
	}
	if err == nil && given {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostJobs {
			err = exchange.BadRequest(exchange.InvalidParameter,
				`The parameter "limit" must be a number from 1 to %d.`, mostJobs)
		}
	}
	after, _, afterErr := q.One("after")
	if err = cmp.Or(err, afterErr); err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	rateFields(x.Header(), grant.Rate())
	found, err := s.config.Jobs.Jobs(r.Context(), rows.JobQuery{
		Owners: ownersOf(grant), Before: after, Limit: limit + 1,
	})
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	answer := struct {
		Jobs []jobRecord `json:"jobs"`
		Next *string     `json:"next"`
	}{Jobs: []jobRecord{}}
	if len(found) > limit {
		found = found[:limit]
		answer.Next = &found[limit-1].ID
	}
	for _, j := range found {
		record, err := s.liveRecord(r.Context(), j)
		if err != nil {
			s.jobFault(x, err)
			return false
		}
		answer.Jobs = append(answer.Jobs, record)
	}
	x.JSON(http.StatusOK, answer)
	return true
}

// jobFault answers a request about jobs that cannot be carried out.
func (s *Server) jobFault(x *exchange.Exchange, err error) {
	var f *exchange.Fault
	var unread *jobs.ListError
	var disk *jobs.DiskError
	var busy *jobs.BusyError
	switch {
	case errors.As(err, &busy):
		s.tooMany(x, busy)
	case errors.As(err, new(*jobs.SpaceError)):
		x.Error(http.StatusInsufficientStorage, exchange.StorageUsedUp, sentence(err))
	case errors.As(err, &f):
		x.Error(f.Status, f.Code, f.Message)
	case errors.Is(err, rows.ErrNotFound):
		x.Error(http.StatusNotFound, exchange.JobNotFound, "There is no such job.")
	case errors.Is(err, rows.ErrState):
		x.Error(http.StatusConflict, exchange.WrongState,
			"The state of the job does not allow that: one that has ended cannot be paused, resumed or cancelled, "+
				"and only one that is done can be verified again.")
	case errors.Is(err, rows.ErrInProgress), errors.Is(err, rows.ErrLeaseLost):
		x.Header().Set("Retry-After", exchange.RetryAfter)
		x.Error(http.StatusConflict, exchange.RequestInProgress, "A request with this Idempotency-Key is in progress.")
	case errors.Is(err, rows.ErrKeyEnded): // while the list arrived
		s.refused("unauthorized")
		x.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
		x.Unauthorized()
	case errors.Is(err, rows.ErrQuota):
		s.quotaUsedUp(x)
	case errors.Is(err, jobs.ErrTooLarge):
		x.Error(http.StatusRequestEntityTooLarge, exchange.ListTooLarge, sentence(err))
	case errors.Is(err, jobs.ErrNoSince):
		x.Error(http.StatusBadRequest, exchange.InvalidParameter,
			`"since" or "compared_with" names no list of yours: it was deleted, perhaps.`)
	case errors.Is(err, jobs.ErrNoAddress):
		x.Error(http.StatusUnprocessableEntity, exchange.NoAddress, sentence(err))
	case errors.As(err, &unread):
		s.unreadable(x, unread)
	case errors.Is(err, jobs.ErrDamaged):
		x.Note(slog.String("error", err.Error()))
		x.Error(http.StatusInternalServerError, exchange.InternalError,
			"What is stored of this job is damaged: its results cannot be read. Send the list again.")
	case errors.As(err, &disk), errors.Is(err, rows.ErrFull):
		x.Note(slog.String("error", err.Error()))
		s.refused("store")
		x.Busy(exchange.StoreUnavailable,
			"The list cannot be kept at the moment: the disk of the server is full or fails. Try again later.")
	default:
		x.Note(slog.String("error", err.Error()))
		s.refused("store")
		x.Busy(exchange.StoreUnavailable, "Jobs cannot be read or stored at the moment. Try again later.")
	}
}

// tooMany answers a request that would be one too many of a kind.
func (s *Server) tooMany(x *exchange.Exchange, busy *jobs.BusyError) {
	if !busy.Own {
		s.refused("busy")
		x.Busy(exchange.ServerBusy, sentence(busy))
		return
	}
	s.refused("concurrency")
	x.Header().Set("Retry-After", exchange.RetryAfter)
	x.Error(http.StatusTooManyRequests, exchange.ConcurrencyReached, sentence(busy))
}

// unreadable answers a request with a list that cannot be read, or not as the
// request has it.
func (s *Server) unreadable(x *exchange.Exchange, err *jobs.ListError) {
	var wrong *list.FormatError
	if errors.As(err, &wrong) && wrong.Choice != "" {
		x.Error(http.StatusBadRequest, exchange.InvalidParameter, sentence(inParameters(err)))
		return
	}
	x.Error(http.StatusUnprocessableEntity, exchange.InvalidList,
		"The list cannot be read: "+inParameters(err).Error()+".")
}

// flagAdvice is advice for the command line in an error of a list.
var flagAdvice = regexp.MustCompile(`(write|leave|or) --([a-z-]+)( out)?`)

// inParameters words an error of a list for clients of the API.
func inParameters(err error) error {
	return errors.New(flagAdvice.ReplaceAllStringFunc(err.Error(), func(advice string) string {
		words := flagAdvice.FindStringSubmatch(advice)
		verb, name, out := words[1], strings.ReplaceAll(words[2], "-", "_"), words[3]
		if verb == "write" {
			verb = "give"
		}
		return verb + " the parameter " + name + cmp.Or(out, ", as")
	}))
}

// sentence makes a sentence of an error.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// values returns the values of a parameter, which may be repeated or have
// commas. Each must be one of those that are known.
func values[T ~string](q *exchange.Query, name string, known []T) (all []T, err error) {
	for _, text := range q.Values(name) {
		if !slices.Contains(known, T(text)) {
			return nil, exchange.BadRequest(exchange.InvalidParameter, "The parameter %q has an unknown value: use %s.",
				name, listed(known))
		}
		all = append(all, T(text))
	}
	return all, nil
}

func listed[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = fmt.Sprint(one)
	}
	return strings.Join(texts, ", ")
}
