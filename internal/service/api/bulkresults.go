package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/transfer"
)

// jobResults answers GET of the results of a job: the rows of its list, in
// their order. While the job runs, those that have a result.
func (s *Server) jobResults(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	o, as, err := readOutput(x.QueryOf(r))
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	rateFields(x.Header(), grant.Rate())
	j, err := s.config.Jobs.Job(r.Context(), r.PathValue("id"), ownersOf(grant))
	if err != nil {
		s.jobFault(x, err)
		return false
	}
	packed := exchange.AcceptsGzip(r.Header["Accept-Encoding"])
	header := x.Header()
	header["Cache-Control"], header["X-Content-Type-Options"] = []string{"private, no-cache"}, []string{"nosniff"}
	header.Set("Vary", "Accept-Encoding")
	if j.State.Ended() {
		tag := etagOf(j, o, packed)
		header.Set("ETag", tag)
		if matches(r.Header.Values("If-None-Match"), tag) {
			x.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return s.stream(x, r, transfer.Download{
		By: by(grant), Job: j, Output: o, As: as, Gzip: packed, Patience: 3 * readTimeout,
		Disposition: fmt.Sprintf("attachment; filename=%q", j.ID+"."+as.Name),
	})
}

// readOutput reads which results are wanted. Every error is a [exchange.Fault].
func readOutput(q *exchange.Query) (o jobs.Output, as list.Result, err error) {
	if q.Err != nil {
		return o, as, q.Err
	}
	name, given, err := q.One("format")
	if !given {
		name = "csv"
	}
	as, known := list.ResultNamed(name)
	if err == nil && !known {
		err = exchange.BadRequest(exchange.InvalidParameter, `The parameter "format" must be csv, jsonl or xlsx.`)
	}
	if err != nil {
		return o, as, err
	}
	o.Format, o.Program = as.Format, true
	verdicts := []rcpt.Verdict{
		rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictAcceptAll,
		rcpt.VerdictUnknown,
	}
	if o.Results, err = values(q, "result", verdicts); err != nil {
		return o, as, err
	}
	if o.Reasons, err = values(q, "reason", rcpt.Reasons()); err != nil {
		return o, as, err
	}
	if o.Groups, err = values(q, "group", bulk.Groups()); err != nil {
		return o, as, err
	}
	if o.Flags, err = values(q, "flag", jobs.Flags()); err != nil {
		return o, as, err
	}
	once, given, err := q.One("once")
	if err == nil && given {
		o.Once, err = readOnce(once)
	}
	return o, as, err
}

func readOnce(text string) (jobs.Once, error) {
	if text == string(jobs.OnceCanonical) {
		return jobs.OnceCanonical, nil
	}
	once, err := exchange.ReadSwitch("once", text)
	switch {
	case err != nil:
		return "", exchange.BadRequest(exchange.InvalidParameter, `The parameter "once" must be 1, 0 or canonical.`)
	case once:
		return jobs.OnceAddress, nil
	}
	return "", nil
}

// etagOf identifies the results of a job that has ended.
func etagOf(j rows.Job, o jobs.Output, packed bool) string {
	what := rows.HashOf(fmt.Sprint(
		j.ID, j.State, j.Done, j.Finished.UnixMilli(),
		o.Format, o.Results, o.Reasons, o.Flags, o.Groups, o.Once, packed))
	return fmt.Sprintf(`"%x"`, what[:12])
}

func matches(fields []string, tag string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		for one := range strings.SplitSeq(field, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
		return false
	})
}

// stream writes the results. After an error within, the connection is cut off,
// so that the client does not take a part for the whole.
func (s *Server) stream(x *exchange.Exchange, r *http.Request, file transfer.Download) bool {
	begun, err := file.Send(r.Context(), s.config.Jobs, x)
	if err == nil {
		return true
	}
	x.Note(slog.String("error", err.Error()))
	if begun {
		s.brokeOff(r, file.Job.ID, err)
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"ETag", "Vary"} {
		x.Header().Del(name)
	}
	s.jobFault(x, err)
	return false
}

// brokeOff leaves a line in the log, as the request has none.
func (s *Server) brokeOff(r *http.Request, job string, err error) {
	level := slog.LevelError
	if r.Context().Err() != nil || errors.Is(err, exchange.ErrTooSlow) { // of the client, or of the server
		level = slog.LevelInfo
	}
	s.config.Logger.LogAttrs(r.Context(), level, "a download of results broke off",
		slog.String("job", job), slog.String("error", err.Error()))
}
