package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt"
)

// VerifyOptions say how to verify, as engine.VerifyOptions do. The zero value
// is that of [Client.Verify].
type VerifyOptions struct {
	_ [0]func() // not comparable: fields may be added

	// Fresh asks the mail host even if the service remembers a result.
	Fresh bool
	// Clean takes what a person wrote: the address in the text is verified, and
	// Details.Given has the text if it is more than the address. Default: the
	// text is the address, with or without blanks around it.
	Clean bool
	// Timeout bounds the verification, if it is less than the service's.
	// Default: the service's.
	Timeout time.Duration
	// Transcript wants the lines of the SMTP sessions, in Details.Transcript.
	Transcript bool
}

// query are the options as parameters of a query. The details have the reason,
// so they are always wanted.
func (o VerifyOptions) query() url.Values {
	query := url.Values{"details": {"1"}}
	for name, on := range map[string]bool{"transcript": o.Transcript, "clean": o.Clean, "fresh": o.Fresh} {
		if on {
			query.Set(name, "1")
		}
	}
	if o.Timeout != 0 { // a negative one is the service's to refuse
		query.Set("timeout", timeoutText(o.Timeout))
	}
	return query
}

// timeoutText is a timeout as the service reads it: seconds, or milliseconds if
// they are 1,000 or more.
func timeoutText(timeout time.Duration) string {
	if seconds := timeout.Seconds(); seconds < milliseconds {
		return strconv.FormatFloat(seconds, 'f', -1, 64)
	}
	return strconv.FormatInt(timeout.Milliseconds(), 10)
}

// milliseconds is the least timeout that the service takes for milliseconds.
const milliseconds = 1000

// Verify tells whether an address can receive mail, as an engine.Verifier does.
// The error is non-nil only if the verification was not carried out: it is an
// *[Error] if the service refused, [ErrNotVerified] if the service answered
// that it could not, and wraps ctx.Err() if ctx ended. The result beside it is
// unknown. It has the address and the reason, and the flags only if the service
// answered: those of the embedded lists are in package screen.
func (c *Client) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return c.VerifyWith(ctx, address, VerifyOptions{})
}

// VerifyWith is [Client.Verify] with options.
func (c *Client) VerifyWith(ctx context.Context, address string, o VerifyOptions) (rcpt.Result, error) {
	query := o.query()
	query.Set("email", address)
	var result rcpt.Result
	err := c.get(ctx, verifyPath, query, &result)
	outcome := outcomeOf(ctx, address, o, result, err)
	return outcome.Result, outcome.Err
}

const verifyPath = "api/v1/verify"

// With returns a Verifier that is this client with options, for code that calls
// [rcpt.Verifier].
func (c *Client) With(o VerifyOptions) rcpt.Verifier { return view{c, o} }

// view is a client with other options.
type view struct {
	client  *Client
	options VerifyOptions
}

func (v view) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return v.client.VerifyWith(ctx, address, v.options)
}

// Outcome is the result of one address, and the error as that of
// [Client.Verify].
type Outcome struct {
	Result rcpt.Result
	Err    error
}

// maxAddresses is how many addresses a request may have.
const maxAddresses = 100

// VerifyAll verifies addresses in requests of up to a hundred, one after the
// other, and yields the outcomes with the indexes of their addresses, in their
// order. The addresses are in the body, so that proxies do not log them. The
// Timeout bounds each request. Leaving the loop sends no more of them. For long
// lists, use [Client.SendList].
func (c *Client) VerifyAll(ctx context.Context, addresses []string, o VerifyOptions) iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		i := 0
		for some := range slices.Chunk(addresses, maxAddresses) {
			for _, outcome := range c.verifySome(ctx, some, o) {
				if !yield(i, outcome) {
					return
				}
				i++
			}
		}
	}
}

// verifySome verifies addresses in one request, or in several, if one of them
// is no address: the service refuses all that came with it.
func (c *Client) verifySome(ctx context.Context, addresses []string, o VerifyOptions) []Outcome {
	var answer struct{ Results []rcpt.Result }
	body, err := json.Marshal(map[string][]string{"emails": addresses})
	if err == nil {
		err = c.ask(ctx, http.MethodPost, verifyPath, o.query(), body, &answer)
	}
	if half := len(addresses) / 2; half > 0 && o.noAddress(err) != "" {
		return append(c.verifySome(ctx, addresses[:half], o), c.verifySome(ctx, addresses[half:], o)...)
	}
	if err == nil && len(answer.Results) != len(addresses) {
		err = fmt.Errorf("%w: %d results for %d addresses", errAnswer, len(answer.Results), len(addresses))
	}
	if err != nil {
		answer.Results = make([]rcpt.Result, len(addresses))
	}
	outcomes := make([]Outcome, len(addresses))
	for i, address := range addresses {
		outcomes[i] = outcomeOf(ctx, address, o, answer.Results[i], err)
	}
	return outcomes
}

// outcomeOf is what the answer of the service is for a Verifier. That a text is
// not one address is a result, as everything is that is known of an address.
func outcomeOf(ctx context.Context, address string, o VerifyOptions, result rcpt.Result, err error) Outcome {
	reason := o.noAddress(err)
	switch {
	case reason != "":
		err = nil
	case err == nil && result.Verdict == "":
		reason, err = rcpt.ReasonInternalError, fmt.Errorf("%w: it has no result", errAnswer)
	case err == nil && result.Reason.Failed():
		return Outcome{result, fmt.Errorf("%w: %s", ErrNotVerified, result.Message)}
	case err == nil:
		return Outcome{asOfNow(result), nil}
	default:
		reason, err = reasonOf(ctx, err), withEnd(ctx, err)
	}
	return Outcome{rcpt.Result{
		Email: address, Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(), CheckedAt: time.Now(),
	}, err}
}

// asOfNow returns the result of an answer that came just now. The record of a
// remembered one has no age, and its wait begins at the answer.
func asOfNow(r rcpt.Result) rcpt.Result {
	if r.Details == nil || !r.Details.Cached {
		return r
	}
	r.Details.Age = max(0, time.Since(r.CheckedAt.Add(r.Details.Duration)))
	if !r.RetryAt.IsZero() {
		r.RetryAt = r.RetryAt.Add(r.Details.Age)
	}
	return r
}

// withEnd is an error that wraps the end of the context, too, and its cause:
// net/http may have told of the cause alone.
func withEnd(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	for _, why := range []error{context.Cause(ctx), ctx.Err()} {
		if !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", why, err)
		}
	}
	return err
}

// noAddress is the reason of a text that the service refuses because it is not
// one address, as the engine has it; empty: it was something else.
func (o VerifyOptions) noAddress(err error) rcpt.Reason {
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		return ""
	}
	empty := refused.Code == "no_address" || refused.Code == "missing_parameter" // the latter in a query
	switch {
	case empty && o.Clean:
		return rcpt.ReasonNoAddress
	case empty:
		return rcpt.ReasonInvalidSyntax
	case refused.Code == "several_addresses":
		return rcpt.ReasonSeveralAddresses
	}
	return ""
}

// reasonOf is the reason of a verification that was not carried out.
func reasonOf(ctx context.Context, err error) rcpt.Reason {
	var refused *Error
	switch {
	case ctx.Err() != nil:
		return rcpt.ReasonUnfinished
	case errors.As(err, &refused) && (refused.Status == http.StatusTooManyRequests ||
		refused.Status == http.StatusServiceUnavailable):
		return rcpt.ReasonBusy
	}
	return rcpt.ReasonInternalError
}
