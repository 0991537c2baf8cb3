package api

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
)

// jobResults answers GET of the results of a job: the rows of its list, in
// their order. While the job runs, those that have a result.
func (s *Server) jobResults(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	o, extension, mediaType, err := readOutput(x.QueryOf(r))
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
	packed := openapi.AcceptsGzip(r.Header["Accept-Encoding"])
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
	header.Set("Content-Type", mediaType)
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", j.ID+"."+extension))
	if packed {
		header.Set("Content-Encoding", "gzip")
	}
	return s.stream(x, r, j, o, packed)
}

// readOutput reads which results are wanted. Every error is a [exchange.Fault].
func readOutput(q *exchange.Query) (o jobs.Output, extension, mediaType string, err error) {
	if q.Err != nil {
		return o, "", "", q.Err
	}
	extension, given, err := q.One("format")
	if !given {
		extension = "csv"
	}
	as, known := list.ResultNamed(extension)
	if err == nil && !known {
		err = exchange.BadRequest(exchange.InvalidParameter, `The parameter "format" must be csv, jsonl or xlsx.`)
	}
	if err != nil {
		return o, "", "", err
	}
	o.Format = as.Format
	verdicts := []engine.Verdict{
		engine.VerdictDeliverable, engine.VerdictUndeliverable, engine.VerdictAcceptAll,
		engine.VerdictUnknown, engine.VerdictSeveral, engine.VerdictEmpty,
	}
	if o.Results, err = values(q, "result", verdicts); err != nil {
		return o, "", "", err
	}
	if o.Reasons, err = values(q, "reason", engine.Reasons()); err != nil {
		return o, "", "", err
	}
	o.Flags, err = values(q, "flag", jobs.Flags())
	return o, extension, as.MediaType, err
}

// etagOf identifies the results of a job that has ended.
func etagOf(j rows.Job, o jobs.Output, packed bool) string {
	what := rows.HashOf(fmt.Sprint(
		j.ID, j.State, j.Done, j.Finished.UnixMilli(), o.Format, o.Results, o.Reasons, o.Flags, packed))
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
func (s *Server) stream(x *exchange.Exchange, r *http.Request, j rows.Job, o jobs.Output, packed bool) bool {
	var to io.Writer = &exchange.SpeedWriter{To: &patientWriter{x: x}}
	finish := func() error { return nil }
	if packed {
		zipped, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a valid one
		}
		to, finish = zipped, zipped.Close
	}
	err := s.config.Jobs.Write(r.Context(), to, j, o)
	if err == nil {
		err = finish()
	}
	if err != nil {
		x.Note(slog.String("error", err.Error()))
		if x.Status != 0 {
			s.brokeOff(r, j.ID, err)
			panic(http.ErrAbortHandler)
		}
		for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Encoding", "ETag", "Vary"} {
			x.Header().Del(name)
		}
		s.jobFault(x, err)
		return false
	}
	return true
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

// patientWriter gives an answer more time whenever some of it is written.
type patientWriter struct {
	x  *exchange.Exchange
	at time.Time
}

func (w *patientWriter) Write(p []byte) (int, error) {
	if now := time.Now(); now.Sub(w.at) > readTimeout/10 {
		w.at = now
		_ = http.NewResponseController(w.x).SetWriteDeadline(now.Add(3 * readTimeout))
	}
	return w.x.Write(p)
}
