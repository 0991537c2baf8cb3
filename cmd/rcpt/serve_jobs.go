package main

import (
	"context"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/jobs"
)

// jobFlags are settings of lists that are verified in the background.
type jobFlags struct {
	ListSpace positiveCount    `placeholder:"GIB" default:"10" help:"Most GiB that stored lists of one account or key may take, compressed; all together may take ten times as much. Default: ${default}."`
	NodeLease positiveDuration `hidden:"" default:"30s" help:"How long a server may be silent before others on its database take over its share of lists."`
}

// addJobs creates what verifies lists in the background, where there is a
// database.
func (r *running) addJobs(config engine.Config) (err error) {
	if r.state.store == nil {
		return nil
	}
	r.jobs, err = jobs.New(jobs.Config{
		Store: r.state.store, Verifier: r.verifier, Egress: egressIdentity(config), Record: r.state.record,
		TempDir: r.state.folder, Lease: r.lease, Log: r.logger,
		Limits: jobs.Limits{Stored: r.listSpace << 30},
	})
	return err
}

// joinJobs announces this node, before lists arrive.
func (r *running) joinJobs(ctx context.Context) error {
	if r.jobs == nil {
		return nil
	}
	return r.jobs.Join(ctx)
}

// listsFault returns why this server does not work on lists, or nil.
func (r *running) listsFault() error {
	if r.jobs == nil {
		return nil
	}
	return r.jobs.Fault()
}
