package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// jobsCommand is "rcpt jobs": the lists that servers verify, whoever's key has
// sent them.
type jobsCommand struct {
	List   jobsListCommand   `cmd:"" help:"List the latest lists of all keys."`
	Pause  jobsPauseCommand  `cmd:"" help:"Pause lists."`
	Resume jobsResumeCommand `cmd:"" help:"Resume lists that are paused, also those of keys that have ended."`
	Cancel jobsCancelCommand `cmd:"" help:"Cancel lists for good; their results so far stay."`
	Delete jobsDeleteCommand `cmd:"" help:"Delete lists and everything about them."`
}

// jobsListCommand is "rcpt jobs list".
type jobsListCommand struct {
	keysFlags
	State string `env:"-" placeholder:"STATE" enum:"queued,running,paused,cancelled,done,failed," default:"" help:"Only those in this state: queued, running, paused, cancelled, done or failed."`
	latestFlags
}

// Run prints lists, the latest first.
func (c *jobsListCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		key, err := c.keyID(ctx, s)
		if err != nil {
			return err
		}
		all, err := s.Jobs(ctx, store.JobQuery{State: store.JobState(c.State), Key: key, Limit: int(c.Limit)})
		if err != nil {
			return err
		}
		return jobListing.print(std.out, c.JSON, all)
	})
}

// jobLine is a list as JSON.
type jobLine struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	State     store.JobState   `json:"state"`
	Problem   string           `json:"problem,omitempty"`
	Key       string           `json:"key"`
	Account   string           `json:"account,omitempty"`
	Rows      int64            `json:"rows"`
	Addresses int64            `json:"addresses"`
	Done      int64            `json:"done"`
	Results   map[string]int64 `json:"results"`
	Created   time.Time        `json:"created_at"`
	Started   time.Time        `json:"started_at,omitzero"`
	Finished  time.Time        `json:"finished_at,omitzero"`
	Expires   time.Time        `json:"expires_at"`
}

func jobLineOf(j store.Job) any {
	line := jobLine{
		ID: j.ID, Name: j.Name, State: j.State, Problem: j.Problem, Key: j.Key, Rows: j.Rows,
		Addresses: j.Addresses, Done: j.Done, Results: j.Results,
		Created: j.Created, Started: j.Started, Finished: j.Finished, Expires: j.Expires,
	}
	if j.Owner != j.Key {
		line.Account = j.Owner
	}
	return line
}

const jobRow = "%-24s  %-16s  %-9s  %15s  %-24s  %s\n"

var jobListing = listing[store.Job]{
	none:   "There are no lists.\n",
	head:   fmt.Sprintf(jobRow, "ID", "CREATED", "STATE", "DONE", "KEY", "NAME"),
	record: jobLineOf,
	row: func(j store.Job) string {
		done := fmt.Sprintf("%d/%d", j.Done, j.Addresses)
		text := fmt.Sprintf(jobRow, j.ID, minuteOf(j.Created), j.State, done, j.Key, tty.Printable(shortName(j.Name)))
		if j.Problem != "" {
			text += fmt.Sprintf("    %s\n", tty.Printable(j.Problem))
		}
		return text
	},
}

// jobsArgument names lists.
type jobsArgument struct {
	keysFlags
	ID []string `arg:"" help:"The IDs of the lists."`
}

// change changes lists one after the other, and prints each as it is then.
func (a *jobsArgument) change(ctx context.Context, std terminal, logs *settings.LogFlags,
	what func(s *store.Store, id string) (store.Job, error)) error {
	return a.withStore(ctx, std, logs, true, func(s *store.Store) error {
		var changed []store.Job
		var failed error
		for _, id := range a.ID {
			j, err := what(s, id)
			if err != nil {
				failed = jobError(id, err)
				break
			}
			changed = append(changed, j)
		}
		if len(changed) == 0 {
			return failed
		}
		return errors.Join(failed, jobListing.print(std.out, a.JSON, changed))
	})
}

func jobError(id string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("there is no list %q: rcpt jobs list shows them", tty.Printable(id))
	case errors.Is(err, store.ErrState):
		return fmt.Errorf("the list %s has ended: it cannot be paused, resumed or cancelled", id)
	}
	return err
}

type jobsPauseCommand struct{ jobsArgument }

// Run pauses lists. Servers stop within a second.
func (c *jobsPauseCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.change(ctx, std, logs, func(s *store.Store, id string) (store.Job, error) {
		return s.PauseJob(ctx, operator(), id)
	})
}

type jobsResumeCommand struct{ jobsArgument }

// Run resumes lists.
func (c *jobsResumeCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.change(ctx, std, logs, func(s *store.Store, id string) (store.Job, error) {
		return s.ResumeJob(ctx, operator(), id)
	})
}

type jobsCancelCommand struct{ jobsArgument }

// Run cancels lists.
func (c *jobsCancelCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.change(ctx, std, logs, func(s *store.Store, id string) (store.Job, error) {
		return s.CancelJob(ctx, operator(), id)
	})
}

type jobsDeleteCommand struct{ jobsArgument }

// Run deletes lists, and prints what they were.
func (c *jobsDeleteCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.change(ctx, std, logs, func(s *store.Store, id string) (store.Job, error) {
		j, err := s.Job(ctx, id)
		if err == nil {
			err = s.DeleteJob(ctx, operator(), id)
		}
		return j, err
	})
}
