// Package table is a table of names in one string: it is searched where it
// lies, in the read-only pages of a binary or in a file that was read, without
// a copy or an index of its own.
//
// A name may have several values, and a value is a number that the user of the
// table gives meaning to. The names are in the order of their last bytes, so
// that those with a common ending, such as the names below one domain, stand
// together, and each is written without the ending that it shares with the one
// before it. The form, integers little-endian:
//
//	number of blocks                     4 bytes
//	start of each block, and the end     4 bytes each
//	blocks                               entries, the values of a name one after the other
//
// An entry has the length of the ending that it shares with the entry before it
// and the length of the rest of its name, in four bits each (15: a byte
// follows, which is added); the rest; and the value, as a varint. The first
// entry of a block shares nothing, so that blocks can be read by themselves.
package table

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"sort"
)

// MaxName is the length in bytes of the longest name: an address has at most
// 254 octets (RFC 5321 §4.5.3.1.3).
const MaxName = 255

// Entry is a name and one of its values.
type Entry struct {
	Name  string
	Value uint16
}

// Table is a table in its string. The zero Table is empty.
type Table struct {
	starts string // of the blocks
	blocks string
}

const wordBytes = 4

// Open reads the head of a table. What it says of the entries is not looked at:
// see [Table.Check].
func Open(data string) (Table, error) {
	if data == "" {
		return Table{}, nil
	}
	if len(data) < 2*wordBytes {
		return Table{}, errors.New("table is cut off")
	}
	blocks := word(data, 0)
	head := wordBytes * (2 + uint64(blocks))
	if blocks == 0 || head > uint64(len(data)) {
		return Table{}, fmt.Errorf("table cannot have %d blocks", blocks)
	}
	return Table{starts: data[wordBytes:head], blocks: data[head:]}, nil
}

// Hits are the entries of one name.
type Hits struct {
	name   string
	rest   string // of the block
	common int    // how much of the ending of name the entry before rest has
}

// Find looks a name up. The case of its ASCII letters does not matter: names
// stand in the table in lower case.
func (t Table) Find(name string) Hits {
	if t.blocks == "" || len(name) > MaxName {
		return Hits{}
	}
	after := sort.Search(t.size(), func(i int) bool {
		head, _ := next(t.block(i))
		return compare(head.rest, name) > 0
	})
	if after == 0 {
		return Hits{}
	}
	return Hits{name: name, rest: t.block(after - 1)}
}

// Next returns the next entry, as it stands in the table.
func (h *Hits) Next() (Entry, bool) {
	for h.rest != "" {
		e, rest := next(h.rest)
		h.rest = rest
		switch {
		case e.shared > h.common: // it differs from the name where the one before it does
			continue
		case e.shared < h.common: // it comes after the name
			h.rest = ""
			return Entry{}, false
		}
		wanted := h.name[:len(h.name)-h.common]
		same := commonEnding(e.rest, wanted)
		h.common += same
		if same == len(wanted) && same == len(e.rest) {
			return Entry{Name: asWritten(h.name), Value: e.value}, true
		}
	}
	return Entry{}, false
}

// asWritten returns a name that was found as it stands in the table.
func asWritten(name string) string {
	for i := range len(name) {
		if name[i] == lower(name[i]) {
			continue
		}
		folded := []byte(name)
		for i, c := range folded {
			folded[i] = lower(c)
		}
		return string(folded)
	}
	return name
}

// Has reports whether the table has the name.
func (t Table) Has(name string) bool {
	hits := t.Find(name)
	_, ok := hits.Next()
	return ok
}

// All yields the entries, in the order of the table.
func (t Table) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		var name string
		for rest := t.blocks; rest != ""; {
			var e entry
			e, rest = next(rest)
			if name = e.rest + name[len(name)-e.shared:]; !yield(Entry{Name: name, Value: e.value}) {
				return
			}
		}
	}
}

// size is the number of blocks.
func (t Table) size() int { return len(t.starts)/wordBytes - 1 }

func (t Table) block(i int) string {
	at := i * wordBytes
	return t.blocks[word(t.starts, at):word(t.starts, at+wordBytes)]
}

// entry is an entry as it is written.
type entry struct {
	shared int    // length of the ending that the name before it has, too
	rest   string // what stands before that ending
	value  uint16
}

// next takes the next entry off a part of a block.
func next(block string) (entry, string) {
	shared, size := int(block[0]>>4), int(block[0]&15)
	at := 1
	if shared == longest {
		shared += int(block[at])
		at++
	}
	if size == longest {
		size += int(block[at])
		at++
	}
	e := entry{shared: shared, rest: block[at : at+size]}
	at += size
	for shift := 0; ; shift += 7 {
		c := block[at]
		at++
		e.value |= uint16(c&0x7f) << shift
		if c < 0x80 {
			return e, block[at:]
		}
	}
}

// longest is the first length that does not fit into four bits.
const longest = 15

func word(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// compare compares a name with a key, from their ends.
func compare(name, key string) int {
	same := commonEnding(name, key)
	if same == len(name) || same == len(key) {
		return cmp.Compare(len(name), len(key))
	}
	return cmp.Compare(name[len(name)-same-1], lower(key[len(key)-same-1]))
}

// commonEnding is the length of the ending that a name shares with a key, the
// case of whose letters does not matter.
func commonEnding(name, key string) int {
	n := 0
	for n < len(name) && n < len(key) && name[len(name)-1-n] == lower(key[len(key)-1-n]) {
		n++
	}
	return n
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
