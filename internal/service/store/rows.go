package store

import "github.com/rcpt/rcpt/internal/service/store/rows"

// The plain data of this package. It is in package rows, which links no
// database.
type (
	Key         = rows.Key
	Scope       = rows.Scope
	Hash        = rows.Hash
	Use         = rows.Use
	Usage       = rows.Usage
	UsageQuery  = rows.UsageQuery
	Reservation = rows.Reservation
	Versions    = rows.Versions

	Webhook       = rows.Webhook
	WebhookState  = rows.WebhookState
	WebhookTry    = rows.WebhookTry
	WebhookSecret = rows.WebhookSecret
	WebhookQuery  = rows.WebhookQuery

	Job            = rows.Job
	JobState       = rows.JobState
	JobQuery       = rows.JobQuery
	JobTotals      = rows.JobTotals
	JobRequest     = rows.JobRequest
	Batch          = rows.Batch
	BatchQuery     = rows.BatchQuery
	Settlement     = rows.Settlement
	LeftAt         = rows.LeftAt
	ResultCount    = rows.ResultCount
	GroupCount     = rows.GroupCount
	ClaimedWebhook = rows.ClaimedWebhook

	Actor      = rows.Actor
	Event      = rows.Event
	EventQuery = rows.EventQuery
	What       = rows.What
)

// The scopes.
const (
	ScopeVerify = rows.ScopeVerify
	ScopeBulk   = rows.ScopeBulk
	ScopeUsage  = rows.ScopeUsage
)

// Those who do something; see [Actor].
var (
	ByAccount = rows.ByAccount
	ByVisitor = rows.ByVisitor
	ByKey     = rows.ByKey
	ByCommand = rows.ByCommand
	ByProxy   = rows.ByProxy
)

// The states of a webhook.
const (
	WebhookPending   = rows.WebhookPending
	WebhookDelivered = rows.WebhookDelivered
	WebhookFailed    = rows.WebhookFailed
	WebhookDisabled  = rows.WebhookDisabled
)

// The states of a job.
const (
	JobLoading   = rows.JobLoading
	JobQueued    = rows.JobQueued
	JobRunning   = rows.JobRunning
	JobPaused    = rows.JobPaused
	JobCancelled = rows.JobCancelled
	JobDone      = rows.JobDone
	JobFailed    = rows.JobFailed
)

// What a caller may want to tell apart, with [errors.Is].
var (
	ErrNotFound     = rows.ErrNotFound
	ErrExists       = rows.ErrExists
	ErrInvalid      = rows.ErrInvalid
	ErrLeaseLost    = rows.ErrLeaseLost
	ErrLocked       = rows.ErrLocked
	ErrSchemaTooNew = rows.ErrSchemaTooNew
	ErrNotEmpty     = rows.ErrNotEmpty
	ErrUnavailable  = rows.ErrUnavailable
	ErrState        = rows.ErrState
	ErrKeyEnded     = rows.ErrKeyEnded
	ErrTooMany      = rows.ErrTooMany
	ErrInProgress   = rows.ErrInProgress
	ErrLastAdmin    = rows.ErrLastAdmin
)

// LatencyBounds are the upper bounds of the buckets in which durations are
// counted.
var LatencyBounds = rows.LatencyBounds

// HashOf returns the hash of a key, a session cookie or a token.
func HashOf(secret string) Hash { return rows.HashOf(secret) }
