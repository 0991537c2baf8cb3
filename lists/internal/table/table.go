// Package table is a table of names in one string: it is searched where it
// lies, in the read-only pages of a binary or in a file that was read, without
// a copy or an index of its own.
//
// A name may have several values, and a value is a number that the user of the
// table gives meaning to. The form, integers little-endian:
//
//	number of buckets, a power of two    4 bytes
//	start of each bucket, and the end    4 bytes each
//	buckets                              entries: length of the name (1 byte), the name, the value (2 bytes)
//
// The bucket of a name is picked by [hash].
package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
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
	starts  string // of the buckets
	entries string
	mask    uint32
}

const (
	wordBytes  = 4
	valueBytes = 2
)

// Open reads the head of a table. What it says of the entries is not looked at:
// see [Table.Check].
func Open(data string) (Table, error) {
	if data == "" {
		return Table{}, nil
	}
	if len(data) < 2*wordBytes {
		return Table{}, errors.New("table is cut off")
	}
	buckets := word(data, 0)
	head := wordBytes * (2 + uint64(buckets))
	if buckets == 0 || buckets&(buckets-1) != 0 || head > uint64(len(data)) {
		return Table{}, fmt.Errorf("table cannot have %d buckets", buckets)
	}
	return Table{starts: data[wordBytes:head], entries: data[head:], mask: buckets - 1}, nil
}

// Check goes through all entries. In a table that passes, nothing can be looked
// up outside of it.
func (t Table) Check(validValue func(uint16) bool) error {
	last := uint32(0)
	for i := 0; i < len(t.starts); i += wordBytes {
		start := word(t.starts, i)
		if start < last || uint64(start) > uint64(len(t.entries)) || i == 0 && start != 0 {
			return errors.New("table has a bucket out of order")
		}
		last = start
	}
	if uint64(last) != uint64(len(t.entries)) {
		return errors.New("table has bytes after its buckets")
	}
	for i := uint32(0); i+1 < uint32(len(t.starts)/wordBytes); i++ {
		if err := checkBucket(t.bucket(i), validValue); err != nil {
			return err
		}
	}
	return nil
}

func checkBucket(bucket string, validValue func(uint16) bool) error {
	for bucket != "" {
		end := 1 + int(bucket[0]) + valueBytes
		if end > len(bucket) {
			return errors.New("table has an entry that is cut off")
		}
		entry, rest := first(bucket)
		if !validValue(entry.Value) {
			return fmt.Errorf("entry %q has no value %d", entry.Name, entry.Value)
		}
		bucket = rest
	}
	return nil
}

// Hits are the entries of one name.
type Hits struct {
	name   string
	bucket string
}

// Find looks a name up. The case of its ASCII letters does not matter: names
// stand in the table in lower case.
func (t Table) Find(name string) Hits {
	if t.entries == "" {
		return Hits{}
	}
	return Hits{name: name, bucket: t.bucket(hash(name) & t.mask)}
}

// Next returns the next entry, as it stands in the table.
func (h *Hits) Next() (Entry, bool) {
	for h.bucket != "" {
		entry, rest := first(h.bucket)
		h.bucket = rest
		if equalFold(entry.Name, h.name) {
			return entry, true
		}
	}
	return Entry{}, false
}

// Has reports whether the table has the name.
func (t Table) Has(name string) bool {
	hits := t.Find(name)
	_, ok := hits.Next()
	return ok
}

// All yields the entries, in no useful order.
func (t Table) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for rest := t.entries; rest != ""; {
			var entry Entry
			if entry, rest = first(rest); !yield(entry) {
				return
			}
		}
	}
}

func (t Table) bucket(i uint32) string {
	at := int(i) * wordBytes
	return t.entries[word(t.starts, at):word(t.starts, at+wordBytes)]
}

// first takes the first entry off a bucket.
func first(bucket string) (Entry, string) {
	end := 1 + int(bucket[0])
	value := uint16(bucket[end]) | uint16(bucket[end+1])<<8
	return Entry{Name: bucket[1:end], Value: value}, bucket[end+valueBytes:]
}

func word(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// hash is FNV-1a over the name in lower case, folded so that its low bits
// depend on all of it. It is part of the form.
func hash(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(lower(name[i]))) * 16777619
	}
	return h ^ h>>15
}

func equalFold(name, key string) bool {
	if len(name) != len(key) {
		return false
	}
	for i := range len(name) {
		if name[i] != lower(key[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// entriesPerBucket is how many entries share a bucket on average, at most twice
// as many at worst: a look-up then reads a cache line or two.
const entriesPerBucket = 4

// Build makes a table. Names are in lower case and not longer than [MaxName].
func Build(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	buckets := uint32(1)
	for int(buckets)*entriesPerBucket < len(entries) {
		buckets *= 2
	}
	chains := make([][]Entry, buckets)
	for _, e := range entries {
		i := hash(e.Name) & (buckets - 1)
		chains[i] = append(chains[i], e)
	}
	head := binary.LittleEndian.AppendUint32(nil, buckets)
	var body []byte
	for _, chain := range chains {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(body)))
		for _, e := range chain {
			body = append(body, byte(len(e.Name)))
			body = append(body, e.Name...)
			body = binary.LittleEndian.AppendUint16(body, e.Value)
		}
	}
	head = binary.LittleEndian.AppendUint32(head, uint32(len(body)))
	return string(append(head, body...))
}
