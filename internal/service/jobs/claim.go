package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// requestLease is how long a request with a token is in progress without a
	// sign of life, and requestRenewed how often it gives one. If the claim
	// cannot be taken back, because the database is away, it ends by itself.
	requestLease   = 30 * time.Second
	requestRenewed = requestLease / 3
)

// Claim is a request with a token that is in progress.
type Claim struct {
	Job  string    // that it has led to before; empty: none
	Body rows.Hash // what was sent then

	end func(made bool)
}

// End ends the claim; made says whether it has led to a job. A nil Claim has
// nothing to end.
func (c *Claim) End(made bool) {
	if c != nil && c.end != nil {
		c.end(made)
	}
}

// Claim notes that a request with a token is in progress, until it is ended.
// [rows.ErrInProgress]: it is in progress already.
func (m *Manager) Claim(ctx context.Context, r rows.JobRequest) (*Claim, error) {
	until := m.config.Now().Add(requestLease)
	job, body, err := m.config.Store.ClaimJobRequest(ctx, m.node, r, until)
	if err != nil || job != "" {
		return &Claim{Job: job, Body: body}, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var renewing sync.WaitGroup
	renewing.Go(func() { until = m.renew(ctx, r, until) })
	return &Claim{end: func(made bool) {
		stop()
		renewing.Wait()
		if made {
			return
		}
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
		defer cancel()
		if err := m.config.Store.ForgetJobRequest(leaving, m.node, r, until); err != nil {
			m.config.Log.Warn("an Idempotency-Key cannot be given back and is in progress for some seconds",
				"error", err)
		}
	}}, nil
}

// renew prolongs a claim until ctx ends, and returns until when it is.
func (m *Manager) renew(ctx context.Context, r rows.JobRequest, until time.Time) time.Time {
	ticker := time.NewTicker(requestRenewed)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return until
		case <-ticker.C:
		}
		next := m.config.Now().Add(requestLease)
		if m.config.Store.RenewJobRequest(ctx, m.node, r, until, next) == nil {
			until = next
		}
	}
}
