package dashboard

import (
	"errors"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// draft is the copy that this server has of a list that was sent and not
// started yet. The store has the list; any server can start it.
type draft struct {
	store.Job
	spool *jobs.Spool
	at    time.Time // when it was last used
	typed *typed    // in its form; nil: nothing yet

	busy sync.Mutex // held while the spool is read
	gone bool       // the spool is closed
}

// typed is what is typed in the form of a list besides how it is read.
type typed struct {
	name string
	listExtras
}

// Bounds of the copies: they are on the disk.
const (
	copiesAll = 20
	copyTime  = time.Hour
)

// drafts are the copies by their IDs.
type drafts struct {
	mu  sync.Mutex
	all map[string]*draft
}

// add keeps a copy, in place of those that were not used for long. If there is
// one by now, it returns that.
func (d *drafts) add(id string, l *draft) *draft {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.all[id]; known != nil {
		l.spool.Close()
		return known
	}
	if d.all == nil {
		d.all = make(map[string]*draft)
	}
	for id, other := range d.all {
		if l.at.Sub(other.at) > copyTime {
			d.drop(id)
		}
	}
	for len(d.all) >= copiesAll && d.dropOldest() {
	}
	d.all[id] = l
	return l
}

// dropOldest drops the copy that was not used for longest, and reports whether
// it could.
func (d *drafts) dropOldest() bool {
	oldest := ""
	for id, l := range d.all {
		if oldest == "" || l.at.Before(d.all[oldest].at) {
			oldest = id
		}
	}
	return d.drop(oldest)
}

// drop drops a copy, unless it is being read.
func (d *drafts) drop(id string) bool {
	l := d.all[id]
	if l == nil || !l.busy.TryLock() {
		return false
	}
	defer l.busy.Unlock()
	l.close()
	delete(d.all, id)
	return true
}

func (l *draft) close() {
	l.spool.Close()
	l.gone = true
}

// forget drops the copy of a list that does not wait any more.
func (d *drafts) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop(id)
}

func (d *drafts) known(id string, now time.Time) *draft {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.all[id]
	if l != nil {
		l.at = now
	}
	return l
}

// useDraft calls do with the list that a path names, one at a time. The error
// is [errNoDraft] if the visitor has no such list, or it was started.
func (d *Dashboard) useDraft(v *visit, do func(*draft) error) error {
	id := v.r.PathValue("id")
	found, err := d.config.Lists.Draft(v.r.Context(), id, v.account.ID)
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			d.drafts.forget(id)
			err = errNoDraft
		}
		return err
	}
	l := d.drafts.known(id, d.config.Now())
	if l == nil {
		v.takesLong()
		spool, err := d.config.Lists.OpenDraft(v.r.Context(), found)
		if err != nil {
			return err
		}
		l = d.drafts.add(id, &draft{spool: spool, at: d.config.Now()})
	}
	l.busy.Lock()
	defer l.busy.Unlock()
	if l.gone {
		return errNoDraft
	}
	l.Job = found
	return do(l)
}
