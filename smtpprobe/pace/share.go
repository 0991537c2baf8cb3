package pace

// keptPart is the part of each limit that is kept for single checks.
const keptPart = 8

// ForLists is what lists may use of a limit: all but an eighth, or one, of it.
// A limit of one, or none, is theirs, too.
func ForLists(limit int) int {
	if limit <= 1 {
		return limit
	}
	return limit - max(1, limit/keptPart)
}

// of is what a question may use of a limit.
func of(limit int, list bool) int {
	if list {
		return ForLists(limit)
	}
	return limit
}

// recipientsOf is the same for a limit of recipients: there has to be room for
// a whole question.
func recipientsOf(limit int, list bool) int {
	if used := of(limit, list); used >= LeastNamed {
		return used
	}
	return limit
}
