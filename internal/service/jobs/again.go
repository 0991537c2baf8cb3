package jobs

import (
	"context"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Again lets the addresses of a job whose result is unknown be verified again.
// Their results come into the same list, which is queued, and until then they
// keep those that they have. A list without such addresses stays as it is. The
// token names the request; it may be nil. [rows.ErrState]: the job is not done.
// [rows.ErrQuota]: the quota of its key is used up.
func (m *Manager) Again(
	ctx context.Context, by rows.Actor, id string, owners []string, token *rows.JobRequest,
) (rows.Job, error) {
	j, err := m.Job(ctx, id, owners)
	if err != nil {
		return j, err
	}
	if j.State != rows.JobDone {
		return j, rows.ErrState
	}
	batches, err := m.unknowns(ctx, j)
	if err != nil || len(batches) == 0 {
		m.noteDamage(ctx, j, err)
		return j, err
	}
	return m.config.Store.AgainJob(ctx, by, j, batches, m.config.Now().Add(m.config.Keep), token)
}

// asksAgain reports whether an address with an outcome is worth asking about
// again. A spam trap is not asked at all.
func (o outcome) asksAgain() bool {
	return o.verdict == rcpt.VerdictUnknown && o.flags&flagSpamTrap == 0 && o.reason != rcpt.ReasonSpamTrap
}

// unknowns makes batches of the addresses of a job that are asked about again.
// All of a batch have the same result for the same reason.
func (m *Manager) unknowns(ctx context.Context, j rows.Job) (all []rows.Batch, err error) {
	layout, err := m.layout(ctx, j)
	if err != nil {
		return nil, err
	}
	r, err := m.newReading(ctx, j, Output{}, layout.AddressesPerRow())
	if err != nil {
		return nil, err
	}
	for number := range j.Segments {
		batches, err := r.unknowns(ctx, number)
		if err != nil {
			return nil, err
		}
		all = append(all, batches...)
	}
	return all, nil
}

// unknowns are those of a segment.
func (r *reading) unknowns(ctx context.Context, number int64) (all []rows.Batch, err error) {
	f, outcomes, err := r.open(ctx, number)
	if err != nil {
		return nil, err
	}
	var order [][3]string
	of := make(map[[3]string]*segment)
	for at := 0; f.more(); at++ {
		c, _ := f.cell(at%r.each == 0)
		o, settled := outcomes[at]
		if c.kind != kindAddress || !settled || !o.asksAgain() {
			continue
		}
		has := [3]string{string(o.verdict), string(o.reason), string(bulk.GroupFor(o.result(c.text)))}
		if of[has] == nil {
			order = append(order, has)
			of[has] = newSegment(r.job.ID, number, 0)
		}
		domain := ""
		if parsed, err := address.Read(c.text); err == nil {
			domain = parsed.Domain()
		}
		of[has].addEntry(entry{cell: at, email: c.text, others: c.others}, domain)
	}
	if err := f.err(); err != nil {
		return nil, r.damaged(err)
	}
	for _, has := range order {
		for _, b := range of[has].batches() {
			b.KeptResult, b.KeptReason, b.KeptGroup = has[0], has[1], has[2]
			all = append(all, b)
		}
	}
	return all, nil
}
