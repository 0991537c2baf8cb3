package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt/engine"
)

// admit adds an item to the plan, unless it is a duplicate.
func (r *run) admit(next reading) error {
	if next.err != nil {
		return r.endOfSource(next.err)
	}
	r.tally.read++
	place, rec := r.order.open(), &record{item: next.item}
	if found, err := r.recall(place, rec, next.key); found || err != nil {
		return err
	}
	if next.known != nil {
		rec.item.Known = nil
		r.deliver(place, rec, next.known)
		r.journal(place, rec)
		return nil
	}
	if first := r.known.open[next.key]; first != nil {
		r.tally.duplicates++
		first.followers = &follower{place: place, buffered: r.buffer.put(rec), next: first.followers}
		return nil
	}
	if recent := r.known.recent(next.key); recent != nil {
		r.tally.duplicates++
		r.deliver(place, rec, r.forItem(recent, next.item))
		r.journal(place, rec)
		return nil
	}
	t := &task{place: place, key: next.key, record: rec}
	if t.key != (key{}) {
		r.known.open[t.key] = t
	}
	r.queue(t, next.domain)
	return nil
}

// queue adds a task to those that are to be asked about.
func (r *run) queue(t *task, domain string) {
	t.planned = r.plan.Add(t, domain, t.record.item.octets(), t.tries.Answers > 0)
}

// recall delivers the answer of an earlier run, if there is one.
func (r *run) recall(place int64, rec *record, k key) (found bool, err error) {
	if r.options.Journal == nil {
		return false, nil
	}
	final, err := r.options.Journal.known(place, rec.item)
	if final == nil {
		return false, err
	}
	r.tally.recalled++
	if rec.item.Known == nil && r.known.open[k] == nil {
		r.known.remember(k, final)
	}
	r.deliver(place, rec, final)
	return true, nil
}

// endOfSource ends reading. After an error the items that were read are
// finished without further retries.
func (r *run) endOfSource(err error) error {
	r.order.ended = true
	if errors.Is(err, io.EOF) {
		r.endReading()
		return nil
	}
	r.readErr = fmt.Errorf("bulk: cannot read item %d: %w", r.tally.read+1, err)
	return r.windUp()
}

func (r *run) endReading() { r.exhausted, r.plan.Growing = true, false }

// settle decides whether an outcome is final.
func (r *run) settle(ctx context.Context, o outcome) error {
	if o.err != nil && ctx.Err() != nil {
		return stopped(ctx)
	}
	if errors.Is(o.err, engine.ErrClosed) {
		return fmt.Errorf("bulk: the verifier was closed under the run: %w", o.err)
	}
	t, domain := o.task, o.task.planned.Domain()
	r.plan.Done(t.planned)
	t.planned = nil
	if r.drained && o.err != nil {
		return r.leave(t)
	}
	now := r.now()
	t.heldFor, t.offline = r.heldFor(o.err), o.retryAfter > 0 && !r.drained && r.network.look(now)
	if t.offline { // it may be the fault of our network, so it is no answer
		r.wait(t, now+offlineWait)
		return nil
	}
	due, again := r.retries.again(&t.tries, domain, o.retryAfter, o.err, now-r.network.outage)
	if o.err == nil {
		t.record.answer = o.answer
	}
	if again {
		r.wait(t, due+r.network.outage)
		return nil
	}
	if o.err != nil {
		r.options.Logger.LogAttrs(ctx, slog.LevelWarn, "not verified",
			slog.Int64("item", t.place+1), slog.String("domain", domain), slog.Any("error", o.err))
		if t.record.answer == nil {
			t.record.answer = o.answer
		}
	}
	return r.finish(t, o.err == nil && !(r.woundUp && o.retryAfter > 0))
}

// settleLast takes an outcome that came when the run had ended, if it is final.
func (r *run) settleLast(o outcome) {
	if o.err == nil && o.retryAfter == 0 {
		o.task.record.answer = o.answer
		_ = r.finish(o.task, true) // the run has its error already
	}
}

// wait puts a task aside until it is due.
func (r *run) wait(t *task, due time.Duration) {
	t.buffered, t.record = r.buffer.put(t.record), nil
	r.waits.Add(t, due, t.place)
}

// wake queues the tasks that are due, as far as the window has room, and sets
// the alarm for the next.
func (r *run) wake() error {
	if r.waits.Len() == 0 {
		return nil
	}
	now := r.now()
	for r.room() {
		t, due, next := r.waits.Due(now)
		if !due {
			r.setAlarm(now, next)
			return nil
		}
		if err := r.unbuffer(t); err != nil {
			return err
		}
		_, domain := identify(r.options.address(t.record.item))
		r.queue(t, domain)
		if t.tries.Answers > 0 {
			r.tally.retries++
		}
	}
	return nil // an outcome brings room
}

// setAlarm sets the alarm for when the next task is due; zero: none waits.
func (r *run) setAlarm(now, next time.Duration) {
	if next > 0 && next != r.alarmAt {
		r.alarmAt = next
		r.alarm.Reset(next - now)
	}
}

// leave leaves a task that was not finished, for another run: without a result,
// or with its last answer.
func (r *run) leave(t *task) error {
	if t.record.answer == nil {
		return nil
	}
	return r.finish(t, false)
}

// endSoon ends reading and asking. What is being asked has some time to end.
func (r *run) endSoon() error {
	r.drain, r.drained, r.overdue = nil, true, time.After(DrainTime)
	if err := r.windUp(); err != nil {
		return err
	}
	for _, t := range r.plan.Drop() {
		if err := r.leave(t); err != nil {
			return err
		}
	}
	return nil
}

// windUp ends reading and makes the last temporary answers final.
func (r *run) windUp() error {
	r.endReading()
	r.stopReading()
	r.retries.rules.Window, r.retries.rules.Ends, r.woundUp = 0, true, true
	for _, t := range r.waits.Take(func(t *task) bool { return t.tries.Answers > 0 }) {
		if err := r.unbuffer(t); err != nil {
			return err
		}
		if err := r.finish(t, false); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) unbuffer(t *task) (err error) {
	t.record, err = r.buffer.take(t.buffered)
	return err
}

// finish makes a task's answer that of its item and of its duplicates. If
// settled, the journal keeps it for a later run.
func (r *run) finish(t *task, settled bool) error {
	final := t.record.answer
	r.deliver(t.place, t.record, final)
	if settled {
		r.journal(t.place, t.record)
	}
	r.known.remember(t.key, final)
	for f := t.followers; f != nil; f = f.next {
		duplicate, err := r.buffer.take(f.buffered)
		if err != nil {
			return err
		}
		r.deliver(f.place, duplicate, r.forItem(final, duplicate.item))
		if settled {
			r.journal(f.place, duplicate)
		}
	}
	return nil
}

// journal keeps the final answer of a record for a later run, unless it is
// about our own network.
func (r *run) journal(place int64, rec *record) {
	if r.options.Journal != nil && !rec.answer.result.Reason.OurNetwork() {
		r.options.Journal.settle(place, rec.item, rec.answer)
	}
}

func (r *run) deliver(place int64, rec *record, final *answer) {
	rec.answer = final
	r.tally.add(final)
	r.order.fill(place, rec)
}
