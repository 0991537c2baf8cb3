package table

import (
	"encoding/binary"
	"slices"
)

// namesPerBlock makes the table small, for little more time: a look-up reads
// half of a block.
const namesPerBlock = 16

// Build makes a table. Names are in lower case and not longer than [MaxName].
func Build(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return compare(a.Name, b.Name) })
	var starts, blocks []byte
	names, last := 0, ""
	for i, e := range sorted {
		shared := commonEnding(last, e.Name)
		if isNew := i == 0 || e.Name != last; isNew && names%namesPerBlock == 0 {
			starts = binary.LittleEndian.AppendUint32(starts, uint32(len(blocks)))
			shared = 0
			names++
		} else if isNew {
			names++
		}
		blocks = appendEntry(blocks, shared, e)
		last = e.Name
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(starts)/wordBytes))
	head = append(head, starts...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(blocks)))
	return string(append(head, blocks...))
}

func appendEntry(to []byte, shared int, e Entry) []byte {
	rest := e.Name[:len(e.Name)-shared]
	to = append(to, byte(min(shared, longest)<<4|min(len(rest), longest)))
	for _, n := range []int{shared, len(rest)} {
		if n >= longest {
			to = append(to, byte(n-longest))
		}
	}
	to = append(to, rest...)
	return binary.AppendUvarint(to, uint64(e.Value))
}
