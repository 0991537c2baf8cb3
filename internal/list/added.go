package list

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// column is a column that is added to CSV.
type column struct {
	name string
	cell func(rcpt.Result) string
}

// resultColumn is the first added column.
const resultColumn = "rcpt_result"

// emailColumn has the address that was verified, which may be a part of the
// cell.
const emailColumn = "rcpt_email"

// suggestionColumn has the address that was probably meant.
const suggestionColumn = "rcpt_suggestion"

func emailCell(r rcpt.Result) string {
	switch r.Reason {
	case rcpt.ReasonSeveralAddresses, rcpt.ReasonNoAddress, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow:
		return ""
	}
	return r.Email
}

// checkedColumn has when an address was verified, which may be long ago.
const checkedColumn = "rcpt_checked_at"

// checkedCell is the time in UTC, to the second.
func checkedCell(r rcpt.Result) string {
	if r.CheckedAt.IsZero() {
		return ""
	}
	return r.CheckedAt.UTC().Format(time.RFC3339)
}

// columns returns the columns that are added, in their order.
func columns(o Output) []column {
	added := []column{
		{resultColumn, func(r rcpt.Result) string { return string(r.Verdict) }},
		{"rcpt_reason", func(r rcpt.Result) string { return string(r.Reason) }},
		{"rcpt_accept_all", func(r rcpt.Result) string { return digit(r.AcceptAll) }},
		{"rcpt_role", func(r rcpt.Result) string { return digit(r.Role) }},
		{"rcpt_free_email", func(r rcpt.Result) string { return digit(r.Free) }},
		{"rcpt_disposable", func(r rcpt.Result) string { return digit(r.Disposable) }},
		{"rcpt_spamtrap", func(r rcpt.Result) string { return digit(r.SpamTrap) }},
		{"rcpt_message", func(r rcpt.Result) string { return r.Message }},
		{suggestionColumn, func(r rcpt.Result) string { return r.Suggestion }},
		{"rcpt_action", func(r rcpt.Result) string { return string(r.Action()) }},
		{"rcpt_group", func(r rcpt.Result) string { return string(bulk.GroupFor(r)) }},
		{emailColumn, emailCell},
	}
	if o.CheckedAt {
		added = append(added, column{checkedColumn, checkedCell})
	}
	if o.Details {
		added = append(added, column{"rcpt_details", detailsCell})
	}
	return added
}

func detailsCell(r rcpt.Result) string {
	text, err := r.MarshalDetails()
	if err != nil {
		panic(err) // a result of ours that is not JSON is a bug
	}
	return string(text)
}

// checkedField is what [checkedColumn] is in JSON.
const checkedField = "checked_at"

// recordOf is the verification record followed by the fields that only columns
// have.
func recordOf(r rcpt.Result, o Output) []byte {
	fields := []member{{key: "reason", value: marshal(r.Reason)}}
	if r.Suggestion != "" {
		fields = append(fields, member{key: "suggestion", value: marshal(r.Suggestion)})
	}
	fields = append(fields, member{key: "action", value: marshal(r.Action())},
		member{key: "group", value: marshal(bulk.GroupFor(r))})
	if checked := checkedCell(r); o.CheckedAt && checked != "" {
		fields = append(fields, member{key: checkedField, value: marshal(checked)})
	}
	if !o.Details {
		r = r.WithoutDetails()
	}
	out := marshal(r)
	out[len(out)-1] = ',' // instead of the closing brace
	return append(out, appendObject(nil, fields)[1:]...)
}

func digit(set bool) string {
	if set {
		return "1"
	}
	return "0"
}
