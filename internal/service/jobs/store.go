package jobs

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Store keeps jobs. Its methods are described at
// [github.com/rcpt/rcpt/internal/service/store.Store], which is one.
type Store interface {
	BeginJob(ctx context.Context, node string, j rows.Job, quota int64, head []byte) (rows.Job, error)
	AddSegment(ctx context.Context, job string, segment, first int64, data []byte, batches []rows.Batch) error
	AddResults(ctx context.Context, job string, segment int64, data []byte) error
	AgainJob(
		ctx context.Context, by rows.Actor, j rows.Job, batches []rows.Batch, expires time.Time,
		request *rows.JobRequest,
	) (rows.Job, error)
	StartJob(
		ctx context.Context, by rows.Actor, id string, t rows.JobTotals, request *rows.JobRequest,
	) (rows.Job, error)
	DropJob(ctx context.Context, id string) error
	KeepDraft(ctx context.Context, id string, segments, octets int64) error
	Draft(ctx context.Context, id, owner string) (rows.Job, error)
	Drafts(ctx context.Context, owner string) ([]rows.Job, error)
	TakeDraft(ctx context.Context, node, id, owner string) error

	Job(ctx context.Context, id string) (rows.Job, error)
	Jobs(ctx context.Context, q rows.JobQuery) ([]rows.Job, error)
	StoredOctets(ctx context.Context, owner string) (int64, error)
	JobHead(ctx context.Context, job string) ([]byte, error)
	JobSegments(ctx context.Context, job string) (first []int64, err error)
	JobSegment(ctx context.Context, job string, segment int64) (data []byte, results [][]byte, err error)
	PauseJob(ctx context.Context, by rows.Actor, id string) (rows.Job, error)
	ResumeJob(ctx context.Context, by rows.Actor, id string) (rows.Job, error)
	CancelJob(ctx context.Context, by rows.Actor, id string) (rows.Job, error)
	NoteDamage(ctx context.Context, id, problem string) error
	DeleteJob(ctx context.Context, by rows.Actor, id string) error

	RecordEvent(ctx context.Context, by rows.Actor, e rows.Event) error

	PauseOrphans(ctx context.Context) (paused int64, err error)
	JobStates(ctx context.Context, ids []string) ([]rows.Job, error)
	JobsChanged() <-chan struct{}
	JoinJobs(ctx context.Context, node, egress string, until time.Time) error
	LeaveJobs(ctx context.Context, node string) error
	NextBatch(ctx context.Context, job, egress string) (time.Time, error)
	JobLeft(ctx context.Context, job string) ([]rows.LeftAt, error)
	LeaseBatches(ctx context.Context, q rows.BatchQuery) ([]rows.Batch, error)
	FreeBatches(ctx context.Context, node, job string, held map[int64]int64) error
	SettleBatches(ctx context.Context, node string, all []rows.Settlement) (lost []bool, err error)

	ClaimJobRequest(
		ctx context.Context, node string, r rows.JobRequest, until time.Time,
	) (job string, body rows.Hash, err error)
	RenewJobRequest(ctx context.Context, node string, r rows.JobRequest, from, to time.Time) error
	ForgetJobRequest(ctx context.Context, node string, r rows.JobRequest, until time.Time) error
}
