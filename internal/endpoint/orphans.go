package endpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
)

const (
	// shareOfKey is the part of all orphans that one key can have.
	shareOfKey = 2
	// paidFor and maxPaid bound what is remembered of the orphans that have
	// ended.
	paidFor = time.Hour
	maxPaid = 10_000
)

// errGone ends a verification whose client has gone and for which there is no
// place among the orphans.
var errGone = errors.New("the client has gone")

// orphans are verifications whose clients have gone. A client that gives up
// before a slow mail host has answered tries again, and would give up again: so
// that it gets its answer, the verification goes on, in the time that it had,
// and the next try of the same key waits for it or finds the remembered result.
// The orphan counts against the quota, and so that answer does not.
type orphans struct {
	most int // addresses in progress

	mu      sync.Mutex
	closed  bool
	count   int            // addresses in progress
	byKey   map[string]int // of count
	running map[hash]*orphan
	tasks   map[*task]bool
	paid    map[hash]time.Time // which have ended, and until when the answer is free
	order   []paidMark         // of paid, the oldest first
	all     sync.WaitGroup
}

// orphan is an address of a task.
type orphan struct {
	id     hash
	result *rcpt.Result // to be read when the task has ended
	task   *task
	ended  chan struct{} // closed when it is counted
}

type paidMark struct {
	id    hash
	until time.Time
}

func newOrphans(most int) *orphans {
	return &orphans{
		most: most, byKey: map[string]int{}, running: map[hash]*orphan{}, tasks: map[*task]bool{},
		paid: map[hash]time.Time{},
	}
}

func newOrphan(key, address string, result *rcpt.Result) *orphan {
	return &orphan{id: orphanID(key, address), result: result}
}

type hash = [sha256.Size]byte

// orphanID identifies an address that a key asks about. It is a hash so that no
// address is remembered.
func orphanID(key, address string) hash { return sha256.Sum256([]byte(key + "\n" + address)) }

// adopt lets a task of a key go on without its client, if there is room.
// Counted is called for its addresses when it has ended.
func (o *orphans) adopt(key string, t *task, some []*orphan, counted func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(some)
	if o.closed || o.count+n > o.most || o.byKey[key]+n > max(1, o.most/shareOfKey) {
		return false
	}
	o.count += n
	o.byKey[key] += n
	o.tasks[t] = true
	ended := make(chan struct{})
	for _, one := range some {
		one.task, one.ended = t, ended
		o.running[one.id] = one
	}
	o.all.Go(func() {
		defer close(ended)
		<-t.done
		o.end(key, t, some)
		counted()
	})
	return true
}

// end removes the addresses of a task that has ended.
func (o *orphans) end(key string, t *task, some []*orphan) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count -= len(some)
	if o.byKey[key] -= len(some); o.byKey[key] == 0 {
		delete(o.byKey, key)
	}
	delete(o.tasks, t)
	for _, one := range some {
		if o.running[one.id] == one {
			delete(o.running, one.id)
		}
		if !one.result.Reason.Failed() {
			o.mark(one.id)
		}
	}
}

// pay makes the next answer about an address free.
func (o *orphans) pay(id hash) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mark(id)
}

func (o *orphans) mark(id hash) {
	until := time.Now().Add(paidFor)
	o.paid[id] = until
	o.order = append(o.order, paidMark{id, until})
	if len(o.order) <= maxPaid {
		return
	}
	if oldest := o.order[0]; o.paid[oldest.id] == oldest.until {
		delete(o.paid, oldest.id)
	}
	o.order = o.order[1:]
}

// any reports whether an answer may be free.
func (o *orphans) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.running)+len(o.paid) > 0
}

// find returns the orphan of an address that ends until the deadline, if there
// is one.
func (o *orphans) find(id hash, deadline time.Time) (one *orphan, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one, found = o.running[id]
	return one, found && !one.task.deadline.After(deadline)
}

// claim reports whether an orphan has paid for an answer about the address. It
// does so for one answer.
func (o *orphans) claim(id hash) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	until, paid := o.paid[id]
	delete(o.paid, id)
	return paid && time.Now().Before(until)
}

// close ends all orphans, and takes no more. It returns when they are counted,
// or when ctx has ended.
func (o *orphans) close(ctx context.Context) {
	o.mu.Lock()
	o.closed = true
	for t := range o.tasks {
		t.cancel(http.ErrServerClosed)
	}
	o.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		o.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
