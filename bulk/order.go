package bulk

import "github.com/rcpt/rcpt/internal/sys/ring"

// order returns records that are done in the order of the source, or as they
// come.
type order struct {
	buffer    *spillBuffer
	unordered bool
	perRow    int             // so many places are of a row; all of it is taken, or nothing
	ended     bool            // the source, perhaps within a row
	skips     bool            // rows that are not done
	opened    int64           // places
	taken     int64           // records
	places    ring.Queue[ref] // ordered: those not taken; zero: not done yet. Unordered: the records that are done
}

// open returns the number of the next place.
func (o *order) open() int64 {
	if !o.unordered {
		o.places.Push(0)
	}
	o.opened++
	return o.opened - 1
}

func (o *order) fill(place int64, r *record) {
	at := o.buffer.put(r)
	if o.unordered {
		o.places.Push(at)
		return
	}
	*o.places.At(int(place - o.taken)) = at
}

// take returns the record that is next; nil: it, or another of its row, is not
// done.
func (o *order) take() (*record, error) {
	for !o.isNextDone() {
		if !o.skips || o.places.Len() == 0 {
			return nil, nil
		}
		for range min(o.perRow, o.places.Len()) {
			o.places.Pop()
			o.taken++
		}
	}
	r, err := o.buffer.take(*o.places.At(0))
	if err != nil {
		return nil, err
	}
	o.places.Pop()
	o.taken++
	return r, nil
}

// isNextDone reports whether the record that is next can be taken. The first of
// a row can if the whole row is done; then so can the others.
func (o *order) isNextDone() bool {
	if o.unordered || o.taken%int64(o.perRow) > 0 {
		return o.places.Len() > 0
	}
	row := o.perRow
	if o.ended {
		row = min(row, max(1, o.places.Len()))
	}
	if o.places.Len() < row {
		return false
	}
	for i := range row {
		if *o.places.At(i) == 0 {
			return false
		}
	}
	return true
}

// left is the number of places that were opened and whose records were not
// taken.
func (o *order) left() int { return int(o.opened - o.taken) }
