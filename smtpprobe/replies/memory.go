package replies

import (
	"encoding/binary"
	"strings"
	"sync"
)

const (
	// maxRemembered is the number of entries in the younger half of a memory;
	// the older half holds as many.
	maxRemembered = 512
	// maxQuestion is the longest key in bytes that is remembered, so that all
	// keys of a memory take at most 1 MiB.
	maxQuestion = 1 << 10
)

// memory is a cache of recent results, such as how refusals were read. The same
// refusal is read again and again: by the pool and by its callers, and the
// refusal of the random recipient for each address of a domain.
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

// put adds a result. When the younger half is full it becomes the older one,
// and the older one is dropped.
func (m *memory[V]) put(key string, reading V) {
	if m.younger == nil || len(m.younger) == maxRemembered {
		m.younger, m.older = make(map[string]V, maxRemembered), m.younger
	}
	m.younger[key] = reading
}

// appendKey appends everything that an input is read by: inputs with the same
// key have the same classification.
func (q Input) appendKey(key []byte) []byte {
	key = binary.AppendVarint(key, int64(q.Reply.Code))
	text := strings.Join(q.Reply.Lines, " ")
	for _, part := range [...]string{string(q.Phase), q.Reply.Enhanced, text, q.Host, q.Mailbox, q.Sender} {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	return key
}
