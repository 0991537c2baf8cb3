package rcpt

import "github.com/rcpt/rcpt/internal/sys/shown"

// The results of texts that do not contain exactly one address. No mail host
// is asked about such a text.
const (
	VerdictSeveral Verdict = "several" // two addresses or more: which one is meant cannot be known
	VerdictEmpty   Verdict = "empty"   // no address: an empty cell, "N/A", a comment line
)

// WithGiven returns r with Details.Given set to the text from which its address
// was cleaned, unless they are the same. It does not change the details that r
// points to, which others may share.
func (r Result) WithGiven(text string) Result {
	text = shown.Text(text)
	if r.Details == nil || text == r.Email {
		return r
	}
	details := *r.Details
	details.Given = text
	r.Details = &details
	return r
}
