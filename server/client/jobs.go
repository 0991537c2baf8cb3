package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/rcpt/rcpt"
)

// JobState is the state of a [Job].
type JobState string

// The states of a job. The last three are final.
const (
	JobQueued    JobState = "queued" // nothing was asked about yet
	JobRunning   JobState = "running"
	JobPaused    JobState = "paused"
	JobCancelled JobState = "cancelled"
	JobDone      JobState = "done"
	JobFailed    JobState = "failed"
)

// Ended reports whether nothing more is asked for a job in this state.
func (s JobState) Ended() bool { return s == JobCancelled || s == JobDone || s == JobFailed }

// Job is a list that is verified in the background.
type Job struct {
	ID        string                 `json:"id"`
	Name      string                 `json:"name"`
	State     JobState               `json:"state"`
	Rows      int64                  `json:"rows"`      // of the list
	Addresses int64                  `json:"addresses"` // distinct ones, which are asked about
	Done      int64                  `json:"done"`      // of Addresses
	Results   map[rcpt.Verdict]int64 `json:"results"`   // of Done
	Reasons   map[rcpt.Reason]int64  `json:"reasons"`   // of Done
	// Groups are the rows that have a result, by what to do with them: safe,
	// risky, bad, retry, none. Nil: an earlier version has begun the job.
	Groups             map[string]GroupCount `json:"groups,omitempty"`
	UndeliverableShare float64               `json:"undeliverable_share"` // of Done, from 0 to 1
	CreatedAt          time.Time             `json:"created_at"`
	StartedAt          time.Time             `json:"started_at"`  // zero: not yet
	FinishedAt         time.Time             `json:"finished_at"` // zero: not yet
	Webhook            string                `json:"webhook"`     // empty: none
	Problem            string                `json:"problem"`     // why it failed
	Reused             int64                 `json:"reused"`      // of Done: their result was there before

	// While it is verified:
	Rate        float64   `json:"rate,omitempty"`         // addresses a second, over the last ten seconds
	LeftSeconds *int64    `json:"left_seconds,omitempty"` // until it is done; nil: not known
	Waiting     []Waiting `json:"waiting,omitempty"`      // what its addresses wait for

	// WebhookProgress: there are webhooks of progress, too.
	WebhookProgress bool `json:"webhook_progress,omitempty"`

	// List says how the list is read; nil: an earlier version has stored it.
	List *ListFound `json:"list,omitempty"`
}

// GroupCount is how many rows of a list are of a group, and how many distinct
// addresses they hold.
type GroupCount struct {
	Rows      int64 `json:"rows"`
	Addresses int64 `json:"addresses"`
}

// ListFound says how a list is read: what was chosen, and what was found.
type ListFound struct {
	Format          string   `json:"format"` // csv, txt, json, jsonl or xlsx
	Sheet           string   `json:"sheet,omitempty"`
	Columns         []string `json:"columns"`              // that are read for addresses
	HeaderRow       *int     `json:"header_row,omitempty"` // from 1; 0: none names the columns; nil: JSON
	Encoding        string   `json:"encoding,omitempty"`
	EncodingGuessed bool     `json:"encoding_guessed,omitempty"`
	OtherColumns    []string `json:"other_columns,omitempty"` // that hold addresses, and are not read
	OtherSheets     []string `json:"other_sheets,omitempty"`
}

// NoHeader is the HeaderRow of [ListOptions] for a list in which no row names
// the columns.
const NoHeader = -1

// Waiting is what some addresses of a job wait for.
type Waiting struct {
	For       string      `json:"for"` // a provider, "network" or "later"
	Addresses int64       `json:"addresses"`
	Reason    rcpt.Reason `json:"reason"`
	Message   string      `json:"message"`        // for people
	Until     time.Time   `json:"until,omitzero"` // the first of them are asked then; zero: not known
}

// ListOptions say what a list is, and what is to become of it. All have
// defaults.
type ListOptions struct {
	Name    string // for people
	Webhook string // a URL that gets a webhook when the job has ended
	// WebhookProgress: there is a webhook at each tenth, too, once a minute at
	// most.
	WebhookProgress bool
	// Since is the ID of an earlier list, or "self" for the list itself: their
	// settled results are not asked about again.
	Since     string
	Columns   []string // of the addresses, by name or number; guessed when empty
	Sheet     string   // of a spreadsheet; when empty, the one that holds addresses
	HeaderRow int      // the row that names the columns, from 1; 0: it is found; NoHeader: none does
	Encoding  string   // of text, such as windows-1251; found when empty
	// MediaType is text/csv, text/plain (one address per line),
	// application/x-ndjson or application/octet-stream, for a spreadsheet or
	// where the service is to find out. Default: text/csv.
	MediaType string
	// IdempotencyKey names the request, so that it can be sent again within a
	// day without making a second job, also by another process. Default: a
	// random text, for the tries of this call.
	IdempotencyKey string
}

// SendList sends a list from its beginning, and returns when the service has
// stored it as a job. The key needs the scope "bulk". [Config.Timeout] does not
// apply: a list may be long.
func (c *Client) SendList(ctx context.Context, list io.ReadSeeker, o ListOptions) (Job, error) {
	var j Job
	header := http.Header{"Idempotency-Key": {cmp.Or(o.IdempotencyKey, rand.Text())}}
	err := c.postList(ctx, list, o.query(), header, o, &j)
	return j, err
}

// Plan is what would be done with a list.
type Plan struct {
	Rows             int64 `json:"rows"`
	Unusable         int64 `json:"unusable"`   // rows without one address in any column that is read
	Duplicates       int64 `json:"duplicates"` // addresses that were in a row or column before
	Addresses        int64 `json:"addresses"`  // that would be asked about
	Domains          int64 `json:"domains"`    // of them, about
	EstimatedSeconds int64 `json:"estimated_seconds"`
	// EstimatedMostSeconds is how long it takes if hosts put off their answers.
	EstimatedMostSeconds int64      `json:"estimated_most_seconds"`
	List                 *ListFound `json:"list"` // how the list would be read
}

// PlanList sends a list as [Client.SendList] does, and returns what would be
// done with it. Nothing is stored.
func (c *Client) PlanList(ctx context.Context, list io.ReadSeeker, o ListOptions) (Plan, error) {
	var p Plan
	query := o.query()
	query.Set("dry_run", "1")
	err := c.postList(ctx, list, query, http.Header{}, o, &p)
	return p, err
}

func (o ListOptions) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"name": o.Name, "webhook": o.Webhook, "sheet": o.Sheet, "encoding": o.Encoding, "since": o.Since,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(o.Columns) > 0 {
		query["column"] = o.Columns
	}
	if o.HeaderRow != 0 {
		query.Set("header_row", strconv.Itoa(max(0, o.HeaderRow)))
	}
	if o.WebhookProgress {
		query.Set("webhook_progress", "1")
	}
	return query
}

func (c *Client) postList(
	ctx context.Context, list io.ReadSeeker, query url.Values, header http.Header, o ListOptions, into any,
) error {
	header.Set("Content-Type", cmp.Or(o.MediaType, "text/csv"))
	return c.again(ctx, func() error {
		if _, err := list.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("%w: the list cannot be read again: %w", errAnswer, err)
		}
		response, err := c.send(ctx, http.MethodPost, "api/v1/bulk", query, io.NopCloser(list), header)
		if err != nil {
			return err
		}
		return readInto(response, into)
	})
}

// Job returns how far a job is.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	var j Job
	err := c.get(ctx, jobPath(id), nil, &j)
	return j, err
}

func jobPath(id string) string { return "api/v1/bulk/" + url.PathEscape(id) }

// Jobs yields the jobs, the newest first. The service is asked for more of them
// as the loop goes on; an error ends it.
func (c *Client) Jobs(ctx context.Context) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for query := (url.Values{}); ; {
			var page struct {
				Jobs []Job
				Next string
			}
			if err := c.get(ctx, "api/v1/bulk", query, &page); err != nil {
				yield(Job{}, err)
				return
			}
			for _, j := range page.Jobs {
				if !yield(j, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			query.Set("after", page.Next)
		}
	}
}

// PauseJob stops a job until [Client.ResumeJob].
func (c *Client) PauseJob(ctx context.Context, id string) (Job, error) {
	return c.change(ctx, http.MethodPost, jobPath(id)+"/pause")
}

// ResumeJob goes on with a job that was paused.
func (c *Client) ResumeJob(ctx context.Context, id string) (Job, error) {
	return c.change(ctx, http.MethodPost, jobPath(id)+"/resume")
}

// CancelJob ends a job for good. Its results so far stay.
func (c *Client) CancelJob(ctx context.Context, id string) (Job, error) {
	return c.change(ctx, http.MethodPost, jobPath(id)+"/cancel")
}

// VerifyJobAgain asks again about the addresses of a job that is done whose
// result is unknown. Their results come into the same job.
func (c *Client) VerifyJobAgain(ctx context.Context, id string) (Job, error) {
	var j Job
	header := http.Header{"Idempotency-Key": {rand.Text()}}
	err := c.again(ctx, func() error {
		response, err := c.send(ctx, http.MethodPost, jobPath(id)+"/again", nil, nil, header)
		if err != nil {
			return err
		}
		return readInto(response, &j)
	})
	return j, err
}

// DeleteJob deletes a job with its list and results, and returns it as it was.
func (c *Client) DeleteJob(ctx context.Context, id string) (Job, error) {
	return c.change(ctx, http.MethodDelete, jobPath(id))
}

func (c *Client) change(ctx context.Context, method, path string) (Job, error) {
	var j Job
	err := c.ask(ctx, method, path, nil, nil, &j)
	return j, err
}

// WaitForJob asks about a job until it has ended, and returns it. A time of
// zero between two questions is five seconds.
func (c *Client) WaitForJob(ctx context.Context, id string, every time.Duration) (Job, error) {
	ticker := time.NewTicker(cmp.Or(every, 5*time.Second))
	defer ticker.Stop()
	for {
		j, err := c.Job(ctx, id)
		if err != nil || j.State.Ended() {
			return j, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return j, ctx.Err()
		}
	}
}

// ResultsOptions say which results are wanted. Empty: all, as CSV.
type ResultsOptions struct {
	Format  string         // csv, jsonl or xlsx. Default: csv
	Results []rcpt.Verdict // rows with one of these
	Reasons []rcpt.Reason  // rows with one of these
	Flags   []string       // rows with all of these: accept_all, role, free_email, disposable, spamtrap
	Groups  []string       // rows of one of these: safe, risky, bad, retry, none
	Once    bool           // each address once
}

// JobResults returns the rows of a job's list with their results; while it
// runs, those that have one. The caller closes the reader. If reading ends with
// an error, rows are missing. [Config.Timeout] does not apply.
func (c *Client) JobResults(ctx context.Context, id string, o ResultsOptions) (io.ReadCloser, error) {
	query := url.Values{"flag": o.Flags, "group": o.Groups}
	if o.Once {
		query.Set("once", "1")
	}
	if o.Format != "" {
		query.Set("format", o.Format)
	}
	for _, verdict := range o.Results {
		query.Add("result", string(verdict))
	}
	for _, reason := range o.Reasons {
		query.Add("reason", string(reason))
	}
	var rows io.ReadCloser
	err := c.again(ctx, func() error {
		response, err := c.send(ctx, http.MethodGet, jobPath(id)+"/results", query, nil, nil)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return readInto(response, nil)
		}
		rows = response.Body
		return nil
	})
	return rows, err
}
