package file

import (
	"cmp"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/rcpt/rcpt/internal/list"
)

// Sample is a number of rows that are chosen at random. The same list and seed
// give the same rows.
type Sample struct {
	Size int // 0: all rows
	Seed uint64
}

// sampler chooses rows. The whole list is read before the first of them is
// returned, and only they are kept in memory.
type sampler struct {
	Sample
	chosen []numberedRow
	drawn  bool
	total  int64 // rows of the list
}

type numberedRow struct {
	number int64
	list.Row
}

// draw chooses among the rows that next returns until io.EOF. Each row of the
// list is as likely as the others (Algorithm R, Vitter 1985).
func (s *sampler) draw(next func() (list.Row, error)) error {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	for {
		row, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if place := random.Int64N(s.total + 1); s.total < int64(s.Size) {
			s.chosen = append(s.chosen, numberedRow{s.total, row})
		} else if place < int64(s.Size) {
			s.chosen[place] = numberedRow{s.total, row}
		}
		s.total++
	}
	slices.SortFunc(s.chosen, func(a, b numberedRow) int { return cmp.Compare(a.number, b.number) })
	s.drawn = true
	return nil
}

// nextSampled returns the next row of the sample.
func (in *Input) nextSampled() (list.Row, error) {
	s := in.sampler
	if !s.drawn {
		if err := s.draw(in.nextUnlessStopped); err != nil {
			return list.Row{}, err
		}
		for _, row := range s.chosen {
			in.noteRow(row.Row)
		}
		in.note(func(n *Notes) { n.ended, n.Drawn = true, s.total })
	}
	if len(s.chosen) == 0 {
		return list.Row{}, io.EOF
	}
	row := s.chosen[0].Row
	s.chosen = s.chosen[1:]
	return row, nil
}

func (in *Input) nextUnlessStopped() (list.Row, error) {
	select {
	case <-in.stop:
		return list.Row{}, ErrInterrupted
	case <-in.done:
		return list.Row{}, ErrInterrupted
	default:
		return in.nextRow()
	}
}
