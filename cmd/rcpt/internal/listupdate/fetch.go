package listupdate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

const (
	// fetchTimeout bounds a whole download: an edition of 4 MiB takes half as
	// long at 0.5 Mbit/s.
	fetchTimeout = 2 * time.Minute
	// maxRedirects is as many as curl and browsers follow at least; more are a
	// loop.
	maxRedirects = 10
)

// Fetcher downloads files.
type Fetcher struct {
	client  *http.Client
	timeout time.Duration
	limit   int64 // of the file, in bytes
}

// NewFetcher returns a Fetcher of files of limit bytes at most.
func NewFetcher(transport http.RoundTripper, limit int64) Fetcher {
	return Fetcher{client: &http.Client{Transport: transport, CheckRedirect: redirectToHTTPS}, timeout: fetchTimeout,
		limit: limit}
}

func redirectToHTTPS(request *http.Request, via []*http.Request) error {
	switch {
	case request.URL.Scheme != "https":
		return fmt.Errorf("the server redirects to %s, which is not https", request.URL.Redacted())
	case len(via) > maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	return nil
}

// CheckAddress fails for URLs whose contents an attacker on the network could
// replace. Content with a known hash needs no protection.
func CheckAddress(source *url.URL, contentKnown bool) error {
	switch {
	case source.Scheme == "https":
		return nil
	case source.Scheme != "http":
		return fmt.Errorf("%q is not supported: use https", source.Scheme)
	case contentKnown, isLoopback(source.Hostname()):
		return nil
	}
	return errors.New("plain http can be tampered with: use https, or give the expected hash with --sha256")
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Fetch downloads a whole file, or fails.
func (f Fetcher) Fetch(ctx context.Context, source *url.URL) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	data, err := f.get(ctx, source)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("the server has not sent the file within %v", f.timeout)
	case ctx.Err() != nil: // even without err: a server may end its answer in order when we hang up
		return nil, ctx.Err()
	}
	return data, err
}

func (f Fetcher) get(ctx context.Context, source *url.URL) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "rcpt")
	response, err := f.client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		return nil, failed.Err // the caller's message has the rest
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %q", response.Status)
	}
	data, err := wholefile.AllUpTo(f.limit, response.Body)
	if err != nil {
		return nil, fmt.Errorf("the download was interrupted: %w", err)
	}
	return data, nil
}
