package table

import (
	"errors"
	"fmt"
	"math"
)

var (
	errCutOff = errors.New("table has an entry that is cut off")
	errOrder  = errors.New("table has an entry out of order")
)

// Check goes through all entries. In a table that passes, every entry is found,
// and nothing is looked up outside of it.
func (t Table) Check(validValue func(uint16) bool) error {
	last := uint32(0)
	for i := 0; i < len(t.starts); i += wordBytes {
		start := word(t.starts, i)
		if i == 0 && start != 0 || i > 0 && start <= last || uint64(start) > uint64(len(t.blocks)) {
			return errors.New("table has a block out of order")
		}
		last = start
	}
	if uint64(last) != uint64(len(t.blocks)) {
		return errors.New("table has bytes after its blocks")
	}
	name, err := "", error(nil)
	for i := range t.size() {
		if name, err = checkBlock(t.block(i), name, i == 0, validValue); err != nil {
			return err
		}
	}
	return nil
}

// checkBlock checks a block behind one that ends with the name last, and
// returns its own last name.
func checkBlock(block, last string, isFirst bool, validValue func(uint16) bool) (string, error) {
	for inside := false; block != ""; inside = true {
		if !isComplete(block) {
			return "", errCutOff
		}
		e, rest := next(block)
		if e.shared > len(last) || !inside && e.shared > 0 {
			return "", errOrder
		}
		name := e.rest + last[len(last)-e.shared:]
		order := compare(last, name)
		switch {
		case len(name) > MaxName:
			return "", fmt.Errorf("table has a name of %d bytes", len(name))
		case inside && (order > 0 || e.shared != commonEnding(last, name)), !inside && !isFirst && order >= 0:
			return "", errOrder
		case !validValue(e.value):
			return "", fmt.Errorf("entry %q has no value %d", name, e.value)
		}
		last, block = name, rest
	}
	return last, nil
}

// isComplete reports whether a part of a block has all of its first entry.
func isComplete(block string) bool {
	at, size := 1, int(block[0]&15)
	if block[0]>>4 == longest {
		at++
	}
	if size == longest {
		if at >= len(block) {
			return false
		}
		size += int(block[at])
		at++
	}
	at += size
	for value, shift := 0, 0; at < len(block); at, shift = at+1, shift+7 {
		value |= int(block[at]&0x7f) << shift
		if value > math.MaxUint16 {
			return false
		}
		if block[at] < 0x80 {
			return true
		}
	}
	return false
}
