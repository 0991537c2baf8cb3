package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// segment is a part of a list that is being stored.
type segment struct {
	job    string
	number int64
	first  int64 // the number of its first row in the list
	octets []byte
	rows   int
	order  []string // domains, in the order in which they came
	of     map[string][]entry
	has    []byte // results that are there already
}

func newSegment(job string, number, first int64) *segment {
	return &segment{job: job, number: number, first: first, of: make(map[string][]entry)}
}

func (s *segment) full() bool { return s.rows >= segmentRows || len(s.octets) >= segmentOctets }

// add adds a row with its cells. Those that have a result are not asked about.
func (s *segment) add(raw string, found []foundCell, has []*outcome) {
	for i, c := range found {
		if c.kind == kindAddress && has[i] != nil {
			s.has = has[i].append(binary.AppendUvarint(s.has, uint64(s.rows*len(found)+i)))
		} else if c.kind == kindAddress {
			s.addEntry(entry{cell: s.rows*len(found) + i, email: c.text, others: c.others}, c.domain)
		}
		s.octets = c.append(s.octets, raw, i == 0)
	}
	s.rows++
}

// addEntry adds an address that is asked about.
func (s *segment) addEntry(e entry, domain string) {
	if s.of[domain] == nil {
		s.order = append(s.order, domain)
	}
	s.of[domain] = append(s.of[domain], e)
}

// batches groups the addresses: those of a domain with many alone, the others
// together.
func (s *segment) batches() (all []rows.Batch) {
	of := part{partBatch, s.job, s.number}
	var small []entry
	flush := func() {
		if len(small) > 0 {
			all = append(all, rows.Batch{
				Segment: s.number, Addresses: len(small), Rows: rowsOf(small), Data: packEntries(of, small),
			})
			small = nil
		}
	}
	for _, domain := range s.order {
		entries := s.of[domain]
		if len(entries) < ownBatch || domain == "" {
			for len(small)+len(entries) > batchAddresses {
				n := batchAddresses - len(small)
				if len(small) > 0 && len(entries) <= batchAddresses {
					n = 0 // a domain stays together
				}
				small, entries = append(small, entries[:n]...), entries[n:]
				flush()
			}
			small = append(small, entries...)
			continue
		}
		for len(entries) > 0 {
			n := min(len(entries), batchAddresses)
			all = append(all, rows.Batch{
				Segment: s.number, Domain: domain, Addresses: n, Rows: rowsOf(entries[:n]),
				Data: packEntries(of, entries[:n]),
			})
			entries = entries[n:]
		}
	}
	flush()
	return all
}

// addSegments stores the rows of a list, with the results that are there. It
// returns how many segments they are, and counts these results.
func (m *Manager) addSegments(
	ctx context.Context, job string, l *listReader, p Plan,
) (segments int64, reused []rows.ResultCount, err error) {
	s := newSegment(job, 0, 0)
	counts := make(map[[2]string]int64)
	store := func() error {
		data := part{partRows, job, s.number}.pack(s.octets)
		err := m.config.Store.AddSegment(ctx, job, s.number, s.first, data, s.batches())
		if err == nil && len(s.has) > 0 {
			err = m.config.Store.AddResults(ctx, job, s.number, part{partResults, job, s.number}.pack(s.has))
		}
		s = newSegment(job, s.number+1, s.first+int64(s.rows))
		return err
	}
	for n := int64(0); ; {
		raw, found, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		if n+int64(len(found)) > int64(len(p.sources.first)) {
			return 0, nil, &DiskError{errors.New("the temporary file has changed")}
		}
		has := p.resolve(found, n)
		for _, o := range has {
			if o != nil {
				counts[[2]string{string(o.verdict), string(o.reason)}]++
			}
		}
		n += int64(len(found))
		s.add(raw, found, has)
		if s.full() {
			if err := store(); err != nil {
				return 0, nil, err
			}
		}
	}
	if s.rows > 0 {
		if err := store(); err != nil {
			return 0, nil, err
		}
	}
	for of, n := range counts {
		reused = append(reused, rows.ResultCount{Result: of[0], Reason: of[1], Addresses: n})
	}
	return s.number, reused, nil
}

// resolve tells the cells of a row, whose first has this number in the list,
// where their address is repeated. It returns the outcomes that are there
// already.
func (p *Plan) resolve(found []foundCell, first int64) (has []*outcome) {
	has = make([]*outcome, len(found))
	decides := deciding(found)
	for i := range found {
		c, n := &found[i], first+int64(i)
		if source, repeats := p.sources.source(n); repeats {
			c.kind, c.first = kindRepeated, source
		} else if c.kind == kindAddress {
			c.others = p.sources.others(n)
			if i != decides {
				c.others--
			}
		}
		c.repeated = p.sources.isRepeated(n)
		if o, taken := p.earlier.take(n); taken && c.kind == kindAddress {
			has[i] = &o
			p.sources.groups.add(o.result(""), c.others+1, 1)
		}
	}
	return has
}
