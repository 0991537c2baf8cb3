package transfer

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Download is a file of the results of a job.
type Download struct {
	By          rows.Actor // who downloads it
	Job         rows.Job
	Output      jobs.Output
	As          list.Result
	Disposition string // the Content-Disposition
	Gzip        bool   // as the Content-Encoding
	Patience    time.Duration
}

// Send sends the file. If there is an error and it has begun, the connection
// has to be cut off, so that the client does not take a part for the whole;
// otherwise an answer can say what is wrong.
func (d Download) Send(ctx context.Context, m *jobs.Manager, w http.ResponseWriter) (begun bool, err error) {
	header := w.Header()
	mediaType := d.As.MediaType
	if found := jobs.FoundIn(d.Job); found != nil && found.Written != "" {
		mediaType = d.As.MediaTypeIn(found.Written)
	}
	set := map[string]string{"Content-Type": mediaType, "Content-Disposition": d.Disposition}
	if d.Gzip {
		set["Content-Encoding"] = "gzip"
	}
	for name, value := range set {
		header.Set(name, value)
	}
	to := &patientWriter{
		ResponseWriter: w, patience: d.Patience,
		first: func() error { return m.Downloads(ctx, d.By, d.Job, d.what()) },
	}
	d.Output.Format = d.As.Format
	if err = d.write(ctx, m, &exchange.SpeedWriter{To: to}); err != nil && !to.begun {
		for name := range set {
			header.Del(name)
		}
	}
	return to.begun, err
}

// what says which rows the file has, and its format.
func (d Download) what() string {
	what := d.As.Name
	for _, group := range d.Output.Groups {
		what += " " + string(group)
	}
	return what
}

func (d Download) write(ctx context.Context, m *jobs.Manager, to io.Writer) error {
	if !d.Gzip {
		return m.Write(ctx, to, d.Job, d.Output)
	}
	zipped, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := m.Write(ctx, zipped, d.Job, d.Output); err != nil {
		return err
	}
	return zipped.Close()
}
