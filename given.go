package rcpt

import "github.com/rcpt/rcpt/internal/sys/shown"

// ReadWords returns the verdict and the reason of a stored result. It knows the
// words of earlier versions: the verdicts "several" and "empty", and the reason
// "smtp_skipped".
//
// Experimental: it may change in any minor version.
func ReadWords(verdict, reason string) (Verdict, Reason) {
	switch {
	case verdict == "several":
		return VerdictUnknown, ReasonSeveralAddresses
	case verdict == "empty":
		return VerdictUnknown, ReasonNoAddress
	case reason == "smtp_skipped":
		return Verdict(verdict), ReasonLevelReached
	}
	return Verdict(verdict), Reason(reason)
}

// WithGiven returns r with Details.Given set to the text from which its address
// was cleaned, unless they are the same. It does not change the details that r
// points to, which others may share.
//
// Experimental: it may change in any minor version.
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
