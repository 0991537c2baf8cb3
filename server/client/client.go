package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Defaults of a [Config].
const (
	// defaultTries is the number of tries. The waits between four tries are
	// four seconds at most, unless the server asks for more.
	defaultTries = 4
	// maxWait is longer than the server's Retry-After for clients within
	// their rate.
	maxWait = 30 * time.Second
	// defaultTimeout is longer than a verification takes by default, with the
	// wait for its turn.
	defaultTimeout = time.Minute
)

// maxBody bounds what is read of an answer. A record with a long transcript has
// some ten thousand octets, and there are up to a hundred of them; a year of
// usage has a few hundred thousand.
const maxBody = 16 << 20

// Config configures a [Client].
type Config struct {
	// URL is the URL of the service, such as https://verify.example.com; a path
	// is kept. Required.
	URL string
	// Key is the API key. Required.
	Key string
	// HTTP sends the requests; it is copied, and the copy follows no redirect.
	// Default: one on [http.DefaultTransport].
	HTTP *http.Client
	// Timeout bounds one try; the context bounds all. Default:
	// a minute.
	Timeout time.Duration
	// Tries is how often a request is sent, the first time included. Default:
	// 4.
	Tries int
}

// errNoURL is for a [Client] that was not made by [New].
var errNoURL = errors.New("rcpt: the client has no URL: it was not made by New")

// Client sends requests to a service. It is safe for concurrent use. It is made
// by [New]: the calls of a zero one return an error.
type Client struct {
	config Config
	base   *url.URL
	http   http.Client
}

// New returns a Client. It sends no request yet.
func New(config Config) (*Client, error) {
	base, err := parseBase(config.URL)
	if err != nil {
		return nil, err
	}
	if config.Key == "" || strings.ContainsFunc(config.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("rcpt: the key is empty or has invalid characters")
	}
	if config.Tries < 0 || config.Timeout < 0 {
		return nil, errors.New("rcpt: tries and times must be positive")
	}
	config.Tries = cmp.Or(config.Tries, defaultTries)
	config.Timeout = cmp.Or(config.Timeout, defaultTimeout)
	c := &Client{config: config, base: base}
	if config.HTTP != nil {
		c.http = *config.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, errors.New("rcpt: the URL of the service must be like https://verify.example.com")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("rcpt: the URL of the service must have neither user, query nor fragment")
	}
	return base, nil
}

// get sends a request until it is answered, and reads the response into out.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.ask(ctx, http.MethodGet, path, query, nil, out)
}

// ask is get with any method and an optional body in JSON.
func (c *Client) ask(ctx context.Context, method, path string, query url.Values, body []byte, out any) error {
	return c.again(ctx, func() error { return c.try(ctx, method, path, query, body, out) })
}

// try sends a request once and reads the response into out. Its error is an
// *[Error] if there was a response.
func (c *Client) try(ctx context.Context, method, path string, query url.Values, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	header := http.Header{"Accept": {"application/json"}}
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(body)
		header.Set("Content-Type", "application/json")
	}
	response, err := c.send(ctx, method, path, query, sent, header)
	if err != nil {
		return err
	}
	return readInto(response, out)
}

// again tries until there is a response, or trying again is not worthwhile.
func (c *Client) again(ctx context.Context, try func() error) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || ctx.Err() != nil || n >= c.config.Tries || !worthRetrying(err) {
			return err
		}
		if !c.pause(ctx, n, retryAfterOf(err)) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// send sends a request once.
func (c *Client) send(
	ctx context.Context, method, path string, query url.Values, body io.Reader, header http.Header,
) (*http.Response, error) {
	if c.base == nil {
		return nil, errNoURL
	}
	target := c.base.JoinPath(path)
	target.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // a blank, even in front of an address
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, withoutURL(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("X-API-Key", c.config.Key)
	request.Header.Set("User-Agent", "rcpt-client-go")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	return response, nil
}

// readInto reads the response into out, which is JSON. Its error is an
// *[Error] if the response is one.
func readInto(response *http.Response, out any) error {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusAccepted:
		return newError(response, body)
	case err != nil:
		return fmt.Errorf("rcpt: the response is incomplete: %w", err)
	case len(body) > maxBody:
		return fmt.Errorf("%w: it is longer than %d octets", errAnswer, maxBody)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	return nil
}

// withoutURL removes the URL, which contains the address, from an error.
func withoutURL(err error) error {
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err
	}
	return fmt.Errorf("rcpt: the service could not be reached: %w", err)
}
