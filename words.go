package rcpt

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
