package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Request says what is to become of a list.
type Request struct {
	Owner   string // the account or key that may see the job
	Key     string // whose usage is counted
	Quota   int64  // of the key in a month; zero: no limit
	Name    string
	Webhook string
	// Progress: a webhook is sent at each tenth, too.
	Progress bool
	Format   Format
	// Token names the request, so that the same one again leads to the same
	// job; nil: it has none.
	Token *rows.JobRequest
}

// ErrNoAddress means that a list has no row with an address.
var ErrNoAddress = errors.New("the list has no address")

// Plan is what would be done with a list.
type Plan struct {
	Rows       int64         `json:"rows"`
	Unusable   int64         `json:"unusable"`   // rows without one address in any column that is read
	Duplicates int64         `json:"duplicates"` // addresses that were in a row or column before
	Addresses  int64         `json:"addresses"`  // that would be asked about
	Domains    int64         `json:"domains"`    // of them, about
	Estimated  time.Duration `json:"-"`          // how long it would take alone

	sources *sources
}

// Plan reads a list without storing it, once for each format: the spool keeps
// what was found. The error is a *[ListError], [ErrTooLarge], [ErrNoAddress] or
// a *[DiskError].
func (m *Manager) Plan(ctx context.Context, s *Spool, f Format) (Plan, error) {
	as := f.text()
	found, known := s.planned[as]
	if !known {
		found.Plan, found.err = m.survey(ctx, s, f)
		found.sources = nil
		if found.err == nil || errors.Is(found.err, ErrNoAddress) || errors.Is(found.err, ErrTooLarge) {
			if s.planned == nil {
				s.planned = make(map[string]planned)
			}
			s.planned[as] = found
		}
	}
	found.Estimated = m.rate.estimate(found.Addresses)
	return found.Plan, found.err
}

// survey is the first reading.
func (m *Manager) survey(ctx context.Context, s *Spool, f Format) (p Plan, err error) {
	l, err := m.open(s, f)
	if err != nil {
		return p, err
	}
	found, err := newRepeats(m.config.TempDir)
	if err != nil {
		return p, err
	}
	defer found.close()
	var domains distinct
	for {
		_, cells, err := l.next()
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
	}
	p.Rows, p.Domains = l.rows, domains.count()
	if p.sources, p.Duplicates, err = found.find(); err != nil {
		return p, err
	}
	p.Addresses -= p.Duplicates
	if p.Addresses == 0 {
		return p, ErrNoAddress
	}
	return p, nil
}

// add counts a row.
func (p *Plan) add(cells []foundCell, found *repeats, domains *distinct) error {
	before := p.Addresses
	for _, c := range cells {
		if err := found.add(c.key); err != nil {
			return err
		}
		if c.kind == kindAddress {
			p.Addresses++
		}
		if c.domain != "" {
			domains.add(c.domain)
		}
	}
	if p.Addresses == before {
		p.Unusable++
	}
	return nil
}

func (m *Manager) open(s *Spool, f Format) (*listReader, error) {
	f = s.format(f)
	l, err := openList(s.Reader(), f, m.config.Limits)
	if err != nil {
		return nil, err
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
	p, err := m.survey(ctx, s, o.Format)
	if err != nil {
		return rows.Job{}, err
	}
	if err := m.spaceFor(ctx, o.Owner); err != nil {
		return rows.Job{}, err
	}
	return m.load(ctx, s, o, p.sources, rows.JobTotals{
		Rows: p.Rows, Duplicates: p.Duplicates, Unusable: p.Unusable, Addresses: p.Addresses,
	})
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
func (m *Manager) load(ctx context.Context, s *Spool, o Request, from *sources, t rows.JobTotals) (rows.Job, error) {
	l, err := m.open(s, o.Format)
	if err != nil {
		return rows.Job{}, err
	}
	o.Format = s.format(o.Format)
	o.Format.Format = cmpFormat(o.Format.Format, l.Format())
	head := make([]byte, min(s.size, headOctets))
	if _, err := s.file.ReadAt(head, 0); err != nil {
		return rows.Job{}, &DiskError{err}
	}
	packed := headOf(o.Format.text()).pack(head)
	if err := sameFormat(l.Reader, packed, o.Format.text()); err != nil {
		return rows.Job{}, err
	}
	now := m.config.Now()
	j, err := m.config.Store.BeginJob(ctx, m.node, rows.Job{
		Owner: o.Owner, Key: o.Key, Name: o.Name, Webhook: o.Webhook, Progress: o.Progress, Format: o.Format.text(),
		Created: now, Expires: now.Add(m.config.Keep), Addresses: t.Addresses,
	}, o.Quota, packed)
	if err != nil {
		return j, err
	}
	if t.Segments, err = m.addSegments(ctx, j.ID, l, from); err == nil {
		started, err := m.config.Store.StartJob(ctx, j.ID, t, o.Token)
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

// format is how the text of a spreadsheet is read, or else as it was given.
func (s *Spool) format(f Format) Format {
	if s.sheet {
		f.Format, f.Delimiter = list.CSV, ','
	}
	f.Sheet = s.sheet
	return f
}

// cmpFormat keeps what was guessed from the beginning of a list, except for
// JSON, which is read as JSON lines.
func cmpFormat(given, found list.Format) list.Format {
	if given != "" || found == list.JSONLines {
		return given
	}
	return found
}

// sameFormat makes sure that the rows of a list can be written later.
func sameFormat(l *list.Reader, head []byte, format string) error {
	again, err := reopen(head, format)
	if err != nil {
		return &ListError{err}
	}
	want, err := list.NewWriter(l, list.Output{Format: list.CSV})
	if err != nil {
		return &ListError{err}
	}
	got, err := list.NewWriter(again, list.Output{Format: list.CSV})
	if err != nil {
		return &ListError{err}
	}
	if string(got.Head()) != string(want.Head()) {
		return &ListError{errors.New("its first rows are too long: the format cannot be found from them")}
	}
	return nil
}
