package tabular

import (
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// column is one that is added to CSV.
type column struct {
	name string
	cell func(engine.Result) string
}

// columns are those that a CSV output gets, in this order.
func columns(details bool) []column {
	added := []column{
		{"rcpt_result", func(r engine.Result) string { return string(r.Verdict) }},
		{"rcpt_reason", detail(func(d *engine.Details) string { return string(d.Reason) })},
		{"rcpt_accept_all", func(r engine.Result) string { return digit(r.AcceptAll) }},
		{"rcpt_role", func(r engine.Result) string { return digit(r.Role) }},
		{"rcpt_free_email", func(r engine.Result) string { return digit(r.FreeEmail) }},
		{"rcpt_disposable", func(r engine.Result) string { return digit(r.Disposable) }},
		{"rcpt_spamtrap", func(r engine.Result) string { return digit(r.SpamTrap) }},
		{"rcpt_message", func(r engine.Result) string { return r.Message }},
		{"rcpt_suggestion", detail(func(d *engine.Details) string { return d.Suggestion })},
		{"rcpt_action", func(r engine.Result) string { return string(bulk.ActionFor(r)) }},
	}
	if details {
		added = append(added, column{"rcpt_details", detail(func(d *engine.Details) string { return string(marshal(d)) })})
	}
	return added
}

func detail(cell func(*engine.Details) string) func(engine.Result) string {
	return func(r engine.Result) string {
		if r.Details == nil {
			return ""
		}
		return cell(r.Details)
	}
}

// recordOf is the verification record, with what the columns have beyond it behind it.
func recordOf(r engine.Result, details bool) []byte {
	fields := []member{{key: "reason", value: marshal(detail(func(d *engine.Details) string { return string(d.Reason) })(r))}}
	if suggestion := detail(func(d *engine.Details) string { return d.Suggestion })(r); suggestion != "" {
		fields = append(fields, member{key: "suggestion", value: marshal(suggestion)})
	}
	fields = append(fields, member{key: "action", value: marshal(bulk.ActionFor(r))})
	if !details {
		r = r.WithoutDetails()
	}
	out := marshal(r)
	out[len(out)-1] = ',' // in place of the brace that ends it
	return append(out, appendObject(nil, fields)[1:]...)
}

func digit(set bool) string {
	if set {
		return "1"
	}
	return "0"
}
