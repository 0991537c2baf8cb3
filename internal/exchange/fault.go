package exchange

import (
	"errors"
	"fmt"
	"net/http"
)

// Code identifies an error for programs. Codes are a closed set and do not
// change; messages are for people and may change.
type Code string

// The codes. Status 401 has none: its body is one and the same for all.
const (
	MissingParameter Code = "missing_parameter"
	InvalidParameter Code = "invalid_parameter"
	InvalidQuery     Code = "invalid_query"
	InvalidBody      Code = "invalid_body"
	NoAddress        Code = "no_address"
	SeveralAddresses Code = "several_addresses"
	TooManyAddresses Code = "too_many_addresses"

	QuotaUsedUp       Code = "quota_used_up"
	MissingScope      Code = "missing_scope"
	NetworkNotAllowed Code = "network_not_allowed"
	PathNotFound      Code = "not_found"
	WebhookNotFound   Code = "webhook_not_found"
	MethodNotAllowed  Code = "method_not_allowed"
	BodyNotTaken      Code = "body_not_taken"
	BodyTooLarge      Code = "body_too_large"
	MediaTypeNotTaken Code = "unsupported_media_type"

	RateReached        Code = "rate_reached"
	ConcurrencyReached Code = "concurrency_reached"
	TooManyWrongKeys   Code = "too_many_wrong_keys"

	ListTooLarge      Code = "list_too_large"
	StorageUsedUp     Code = "storage_used_up"
	InvalidList       Code = "invalid_list"
	JobNotFound       Code = "job_not_found"
	WrongState        Code = "wrong_state"
	RequestInProgress Code = "request_in_progress"
	KeyReused         Code = "idempotency_key_reused"

	InternalError    Code = "internal_error"
	ServerBusy       Code = "server_busy"
	MailHostBusy     Code = "mail_host_busy"
	ShuttingDown     Code = "shutting_down"
	StoreUnavailable Code = "store_unavailable"
	NotReady         Code = "not_ready"
)

// Fault is an invalid request. Its message says what is wrong or what to do.
type Fault struct {
	Status  int
	Code    Code
	Message string
}

func (f *Fault) Error() string { return f.Message }

// NewFault is a [Fault] as an error.
func NewFault(status int, code Code, message string) error { return &Fault{status, code, message} }

// BadRequest is a [Fault] with status 400.
func BadRequest(code Code, format string, values ...any) error {
	return &Fault{http.StatusBadRequest, code, fmt.Sprintf(format, values...)}
}

// Fault answers an invalid request.
func (x *Exchange) Fault(err error) {
	var f *Fault
	if !errors.As(err, &f) {
		panic(err) // a reader of requests returns nothing else
	}
	x.Error(f.Status, f.Code, f.Message)
}
