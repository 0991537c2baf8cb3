package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/rcpt/rcpt"
)

// key is the API key of the server.
const key = "rcpt_a-key-for-the-soak"

// stopGrace is how much longer than a verification the server may take to stop:
// for QUITs, and the rest of a request.
const stopGrace = 10 * time.Second

// web is "rcpt serve".
type web struct {
	program          *program
	client           *http.Client
	verifyURL, debug string
	timeout          time.Duration
}

// newWeb starts the server. Results are remembered, so that the memory of them
// is under load, too; nobody gets one.
func newWeb(ctx context.Context, binary, folder string, spec Spec, ready Ready, timeout time.Duration) (*web, error) {
	p, err := run(ctx, binary, folder, spec, ready, timeout, "serve", "--listen", "127.0.0.1:0", "--remember", "2000",
		"--details")
	if err != nil {
		return nil, err
	}
	w := &web{
		program: p, timeout: timeout, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: maxIdle}},
	}
	base, err := p.await(`rcpt listens on (http://\S+)`)
	if err == nil {
		w.verifyURL = base + "/api/v1/verify?fresh=1&email="
		w.debug, err = p.debugURL()
	}
	return w, err
}

// maxIdle is more connections than there are users.
const maxIdle = 10_000

func (*web) name() string                { return "serve" }
func (w *web) figures() (figures, error) { return w.program.figuresAt(w.debug) }
func (w *web) patience() time.Duration   { return w.timeout }

func (w *web) verify(ctx context.Context, address string) (said, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.verifyURL+url.QueryEscape(address), nil)
	if err != nil {
		return said{}, err
	}
	request.Header.Set("X-API-Key", key)
	response, err := w.client.Do(request)
	if err != nil {
		return said{}, err
	}
	defer response.Body.Close()
	var record struct {
		Result  rcpt.Verdict
		Details struct{ Reason rcpt.Reason }
	}
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == http.StatusServiceUnavailable {
		return said{busy: true}, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &record)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		return said{}, fmt.Errorf("status %d, body %.200s: %w", response.StatusCode, body, err)
	}
	return said{verdict: record.Result, reason: record.Details.Reason}, nil
}

// close asks the server to stop, which it must do in time and without a
// complaint.
func (w *web) close(wrong *faults) {
	w.client.CloseIdleConnections()
	_ = w.program.cmd.Process.Signal(os.Interrupt)
	select {
	case err := <-w.program.ended:
		if err != nil {
			wrong.add("rcpt serve: %w: %s", err, w.program.lastWords())
		}
	case <-time.After(w.timeout + stopGrace):
		wrong.add("rcpt serve does not stop")
		_ = w.program.cmd.Process.Kill()
	}
}
