package smtpprobe

import (
	"encoding/binary"
	"strings"
	"sync"
)

const (
	// maxRemembered is how many questions the younger half of a memory holds; the older half holds as many.
	maxRemembered = 512
	// maxQuestion is the most octets of a question that is remembered: a memory is at most 1 MiB.
	maxQuestion = 1 << 10
)

// memory holds how refusals were read of late. The same one is read again and again: by the pool and by whoever asked it, and for each
// address of a domain the refusal of the random recipient.
type memory struct {
	mu             sync.Mutex
	younger, older map[string]Reading
}

// recall returns how a question with this key was read.
func (m *memory) recall(key []byte) (Reading, bool) {
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

func (m *memory) remember(key []byte, reading Reading) {
	if len(key) > maxQuestion {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(string(key), reading)
}

// put adds a reading. When the younger half is full it becomes the older one, which is forgotten.
func (m *memory) put(key string, reading Reading) {
	if m.younger == nil || len(m.younger) == maxRemembered {
		m.younger, m.older = make(map[string]Reading, maxRemembered), m.younger
	}
	m.younger[key] = reading
}

// appendKey appends all that a question is read by: two questions with the same key have the same reading.
func (q Question) appendKey(key []byte) []byte {
	key = binary.AppendVarint(key, int64(q.Reply.Code))
	for _, part := range [...]string{string(q.Phase), q.Reply.Enhanced, strings.Join(q.Reply.Lines, " "), q.Host, q.Mailbox, q.Sender} {
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	return key
}
