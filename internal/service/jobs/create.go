package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Request says what is to become of a list.
type Request struct {
	By      rows.Actor // who begins the job
	Owner   string     // the account or key that may see the job
	Owners  []string   // whose earlier lists may be named; empty: those of Owner
	Key     string     // whose usage is counted
	Quota   int64      // of the key in a month; zero: no limit
	Name    string
	Webhook string
	// Progress: a webhook is sent at each tenth, too.
	Progress bool
	Format   Format
	Since    Since
	// ComparedWith is the ID of an earlier list of the owner that the job names
	// beside its own counters. Default: that of Since.
	ComparedWith string
	// Notify is an address for a mail when the job has ended; empty: none.
	Notify string
	// Token names the request, so that the same one again leads to the same
	// job; nil: it has none.
	Token *rows.JobRequest
}

// ErrNoAddress means that a list has no row with an address.
var ErrNoAddress = errors.New("the list has no row with an address")

// notAloneError is an [ErrNoAddress]: so many rows have several addresses in a
// cell, and so many have other words beside one.
type notAloneError struct{ several, unclear int64 }

func (e notAloneError) Error() string {
	const unclear = "other words beside one, or a part of one"
	var what string
	switch {
	case e.several == 1 && e.unclear == 0:
		what = "its only row with addresses holds several"
	case e.several == 0 && e.unclear == 1:
		what = "its only row with one has " + unclear
	case e.unclear == 0:
		what = fmt.Sprintf("%d rows hold several", e.several)
	case e.several == 0:
		what = fmt.Sprintf("%d rows have %s", e.unclear, unclear)
	default:
		what = fmt.Sprintf("%d rows hold several, or %s", e.several+e.unclear, unclear)
	}
	return ErrNoAddress.Error() + " alone: " + what + "; write each address in a row of its own"
}

func (notAloneError) Unwrap() error { return ErrNoAddress }

// Plan is what would be done with a list.
type Plan struct {
	Rows       int64         `json:"rows"`
	Unusable   int64         `json:"unusable"`         // rows without one address in any column that is read
	Duplicates int64         `json:"duplicates"`       // addresses that were in a row or column before
	Addresses  int64         `json:"addresses"`        // that would be asked about
	Reused     int64         `json:"reused,omitempty"` // addresses whose result is there already: see [Since]
	Domains    int64         `json:"domains"`          // of them, about
	Least      time.Duration `json:"-"`                // how long it would take alone
	Most       time.Duration `json:"-"`                // how long if hosts put off their answers

	// Found says how the list is read.
	Found *Found `json:"-"`

	often    *often
	notAlone notAloneError // rows without one address
	sources  *sources
	earlier  *earlier
}

// Plan reads a list without storing it, once for each way to read it: the spool
// keeps what was found. The error is a *[ListError], [ErrTooLarge],
// [ErrNoAddress], [ErrNoSince] or a *[DiskError].
func (m *Manager) Plan(ctx context.Context, s *Spool, o Request) (Plan, error) {
	as := o.Format.text() + o.Since.text()
	found, known := s.planned[as]
	if !known {
		found.Plan, found.err = m.survey(ctx, s, o)
		found.sources, found.earlier = nil, nil
		if found.err == nil || errors.Is(found.err, ErrNoAddress) || errors.Is(found.err, ErrTooLarge) {
			if s.planned == nil {
				s.planned = make(map[string]planned)
			}
			s.planned[as] = found
		}
	}
	if found.err == nil {
		found.Least = m.estimate(&found.Plan)
		found.Most = found.Least + m.config.RetryWindow
	}
	return found.Plan, found.err
}

// survey is the first reading.
func (m *Manager) survey(ctx context.Context, s *Spool, o Request) (p Plan, err error) {
	l, err := m.open(ctx, s, o.Format)
	if err != nil {
		return p, err
	}
	found, err := newRepeats(m.config.TempDir)
	if err != nil {
		return p, err
	}
	defer found.close()
	p.earlier = m.newEarlier(o.Since, o.owners())
	var domains distinct
	p.Found, p.often = l.foundIn(), &often{make(map[string]int64)}
	for {
		raw, cells, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && l.rows%1000 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return p, err
		}
		if err := p.add(cells, found, &domains); err != nil {
			return p, err
		}
		p.earlier.takeRow(l, raw, cells)
	}
	p.Rows, p.Domains = l.rows, domains.count()
	if p.sources, p.Duplicates, err = found.find(); err != nil {
		return p, err
	}
	if err := m.takeList(ctx, p.earlier, found); err != nil {
		return p, err
	}
	p.Addresses -= p.Duplicates
	switch {
	case p.Addresses == 0 && p.notAlone != notAloneError{}:
		return p, p.notAlone
	case p.Addresses == 0:
		return p, ErrNoAddress
	}
	p.Reused = p.earlier.countReused(p.sources)
	p.Addresses -= p.Reused
	return p, nil
}

// add counts a row.
func (p *Plan) add(cells []foundCell, found *repeats, domains *distinct) error {
	before, several, unclear, counts := p.Addresses, false, false, deciding(cells)
	found.groups.addRow(cells)
	for i, c := range cells {
		if err := found.add(c.key, i == counts); err != nil {
			return err
		}
		if c.kind == kindAddress {
			p.Addresses++
		}
		several, unclear = several || c.kind == kindSeveral, unclear || c.kind == kindUnclear
		if c.domain != "" {
			domains.add(c.domain)
			p.often.add(c.domain)
		}
	}
	if p.Addresses > before {
		return nil
	}
	switch p.Unusable++; {
	case several:
		p.notAlone.several++
	case unclear:
		p.notAlone.unclear++
	}
	return nil
}

func (m *Manager) open(ctx context.Context, s *Spool, f Format) (*listReader, error) {
	text, f, err := m.text(ctx, s, f)
	if err != nil {
		return nil, err
	}
	l, err := openList(text.Reader(), f, s.sheets(), m.config.Limits)
	if err != nil {
		return nil, err
	}
	if l.text = text; s.sheet != nil {
		l.file = s.sheet.of
	}
	if width := l.Width(); width > m.config.Limits.Columns {
		return nil, fmt.Errorf("%w: its first row has %d columns, %d are allowed",
			ErrTooLarge, width, m.config.Limits.Columns)
	}
	return l, nil
}

// Create makes a job of a list. When it returns, the job is committed. The
// error is one of [Manager.Plan], [rows.ErrQuota], or another of the
// store.
func (m *Manager) Create(ctx context.Context, s *Spool, o Request) (rows.Job, error) {
	p, err := m.survey(ctx, s, o)
	if err != nil {
		return rows.Job{}, err
	}
	if err := m.spaceFor(ctx, o.Owner); err != nil {
		return rows.Job{}, err
	}
	if with := o.comparedWith(); with != "" {
		if _, err := m.earlierJob(ctx, with, o.owners()); err != nil {
			return rows.Job{}, err
		}
	}
	return m.load(ctx, s, o, p)
}

// SpaceError means that stored lists take all the room that they may.
type SpaceError struct {
	Most int64 // octets
	Own  bool  // of the lists of the same owner; false: of all
}

func (e *SpaceError) Error() string {
	whose := "the lists on this server take"
	if e.Own {
		whose = "your lists take"
	}
	return fmt.Sprintf("%s the %d MiB that they may: delete those that you no longer need, or wait until they expire",
		whose, e.Most>>20)
}

// spaceFor returns an error if an owner's lists, or those of all, take too much
// room already.
func (m *Manager) spaceFor(ctx context.Context, owner string) error {
	for _, limit := range []struct {
		owner string
		most  int64
	}{{owner, m.config.Limits.Stored}, {"", storedByAll * m.config.Limits.Stored}} {
		taken, err := m.config.Store.StoredOctets(ctx, limit.owner)
		if err != nil {
			return err
		}
		if taken >= limit.most {
			return &SpaceError{limit.most, limit.owner != ""}
		}
	}
	return nil
}

// load is the second reading, which stores the list.
func (m *Manager) load(ctx context.Context, s *Spool, o Request, p Plan) (rows.Job, error) {
	l, err := m.open(ctx, s, o.Format)
	if err != nil {
		return rows.Job{}, err
	}
	head := make([]byte, min(l.text.size, headOctets))
	if _, err := l.text.file.ReadAt(head, 0); err != nil {
		return rows.Job{}, &DiskError{err}
	}
	as, packed, err := l.stored(head)
	if err != nil {
		return rows.Job{}, err
	}
	now := m.config.Now()
	j, err := m.config.Store.BeginJob(ctx, m.node, rows.Job{
		Owner: o.Owner, Key: o.Key, Name: o.Name, Webhook: o.Webhook, Progress: o.Progress, Format: as,
		Created: now, Expires: now.Add(m.config.Keep), Addresses: p.Addresses,
		ComparedWith: o.comparedWith(), Notify: o.Notify,
	}, o.Quota, packed)
	if err != nil {
		return j, err
	}
	t := rows.JobTotals{
		Rows: p.Rows, Duplicates: p.Duplicates, Unusable: p.Unusable, Addresses: p.Addresses + p.Reused,
	}
	if t.Segments, t.Reused, err = m.addSegments(ctx, j.ID, l, p); err == nil {
		t.Groups = p.sources.groups.stored()
		started, err := m.config.Store.StartJob(ctx, o.By, j.ID, t, o.Token)
		if err == nil {
			return started, nil
		}
		if j, readErr := m.config.Store.Job(context.WithoutCancel(ctx), j.ID); readErr == nil {
			return j, nil // the commit succeeded although its answer was lost
		}
		return j, errors.Join(err, m.config.Store.DropJob(context.WithoutCancel(ctx), j.ID))
	}
	return j, errors.Join(err, m.config.Store.DropJob(context.WithoutCancel(ctx), j.ID))
}

func (o Request) owners() []string {
	if len(o.Owners) > 0 {
		return o.Owners
	}
	return []string{o.Owner}
}

// comparedWith is the list that a job is compared with.
func (o Request) comparedWith() string {
	if o.ComparedWith == "" && o.Since.List != SinceSelf {
		return o.Since.List
	}
	return o.ComparedWith
}
