package replies

import (
	"encoding/binary"
	"strings"
	"sync"
)

const (
	// maxRemembered is how many questions the younger half of a memory holds; the older half holds as many.
	maxRemembered = 512
	// maxQuestion is the most octets of a question that is remembered: those of a memory are at most 1 MiB.
	maxQuestion = 1 << 10
)

// memory holds what came of questions of late, say how refusals were read. The same one is read again and again: by the pool and by whoever asked
// it, and for each address of a domain the refusal of the random recipient.
type memory[V any] struct {
	mu             sync.Mutex
	younger, older map[string]V
}

// recall returns how a question with this key was read.
func (m *memory[V]) recall(key []byte) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if reading, ok := m.younger[string(key)]; ok {
		return reading, true
	}
	reading, ok := m.older[string(key)]
	if ok {
		m.put(string(key), reading)
	}
	return reading, ok
}

func (m *memory[V]) remember(key []byte, reading V) {
	if len(key) > maxQuestion {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(string(key), reading)
}

// put adds a reading. When the younger half is full it becomes the older one, which is forgotten.
func (m *memory[V]) put(key string, reading V) {
	if m.younger == nil || len(m.younger) == maxRemembered {
		m.younger, m.older = make(map[string]V, maxRemembered), m.younger
	}
	m.younger[key] = reading
}

// appendKey appends all that a question is read by: two questions with the same key have the same reading.
func (q Input) appendKey(key []byte) []byte {
	key = binary.AppendVarint(key, int64(q.Reply.Code))
	for _, part := range [...]string{string(q.Phase), q.Reply.Enhanced, strings.Join(q.Reply.Lines, " "), q.Host, q.Mailbox, q.Sender} {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	return key
}
