package file

// Total is how many verifications a list needs: one for each of its rows, or
// several where several columns hold addresses.
type Total struct {
	Rows  int64 // 0: unknown
	Exact bool  // counted, not estimated
}

// readAheadOctets is about how much a reader takes from a file before its rows
// are needed.
const readAheadOctets = 128 << 10

// totalOf counts the rows of a list that was read to its end. Otherwise it
// estimates them from the octets that the first rows took: those of the rows
// themselves, or those that were read, which differ where the list is not
// UTF-8. Size is 0 where it is not known.
func totalOf(rows, rowOctets, read, size int64, ended bool) Total {
	took := max(rowOctets, read-readAheadOctets)
	switch {
	case ended:
		return Total{rows, true}
	case took <= 0 || size <= 0:
		return Total{}
	}
	return Total{Rows: max(rows, int64(float64(rows)*float64(size)/float64(took)))}
}
