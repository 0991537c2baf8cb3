package api

import (
	"errors"
	"fmt"
	"net/http"
)

// code identifies an error for programs. Codes are a closed set and do not
// change; messages are for people and may change.
type code string

// The codes. Status 401 has none: its body is one and the same for all.
const (
	missingParameter code = "missing_parameter"
	invalidParameter code = "invalid_parameter"
	invalidQuery     code = "invalid_query"
	invalidBody      code = "invalid_body"
	noAddress        code = "no_address"
	severalAddresses code = "several_addresses"
	tooManyAddresses code = "too_many_addresses"

	quotaUsedUp       code = "quota_used_up"
	missingScope      code = "missing_scope"
	networkNotAllowed code = "network_not_allowed"
	pathNotFound      code = "not_found"
	webhookNotFound   code = "webhook_not_found"
	methodNotAllowed  code = "method_not_allowed"
	bodyNotTaken      code = "body_not_taken"
	bodyTooLarge      code = "body_too_large"
	mediaTypeNotTaken code = "unsupported_media_type"

	rateReached        code = "rate_reached"
	concurrencyReached code = "concurrency_reached"
	tooManyWrongKeys   code = "too_many_wrong_keys"

	listTooLarge      code = "list_too_large"
	storageUsedUp     code = "storage_used_up"
	invalidList       code = "invalid_list"
	jobNotFound       code = "job_not_found"
	wrongState        code = "wrong_state"
	requestInProgress code = "request_in_progress"
	keyReused         code = "idempotency_key_reused"

	internalError    code = "internal_error"
	serverBusy       code = "server_busy"
	mailHostBusy     code = "mail_host_busy"
	shuttingDown     code = "shutting_down"
	storeUnavailable code = "store_unavailable"
	notReady         code = "not_ready"
)

// fault is an invalid request. Its message says what is wrong or what to do.
type fault struct {
	status  int
	code    code
	message string
}

func (f *fault) Error() string { return f.message }

// badRequest is a fault with status 400.
func badRequest(code code, format string, values ...any) error {
	return &fault{http.StatusBadRequest, code, fmt.Sprintf(format, values...)}
}

// writeFault answers an invalid request.
func writeFault(w http.ResponseWriter, err error) {
	var f *fault
	if !errors.As(err, &f) {
		panic(err) // a reader of requests returns nothing else
	}
	writeError(w, f.status, f.code, f.message)
}
