package bulk

// order returns records that are done in the order of the source, or as they
// come.
type order struct {
	buffer    *spillBuffer
	unordered bool
	skips     bool       // records that are not done
	opened    int64      // places
	taken     int64      // records
	places    queue[ref] // ordered: those not taken; zero: not done yet. Unordered: the records that are done
}

// open returns the number of the next place.
func (o *order) open() int64 {
	if !o.unordered {
		o.places.push(0)
	}
	o.opened++
	return o.opened - 1
}

func (o *order) fill(place int64, r *record) {
	at := o.buffer.put(r)
	if o.unordered {
		o.places.push(at)
		return
	}
	*o.places.at(int(place - o.taken)) = at
}

// take returns the record that is next; nil: it is not done.
func (o *order) take() (*record, error) {
	for o.skips && o.places.len() > 0 && *o.places.at(0) == 0 {
		o.places.pop()
		o.taken++
	}
	if o.places.len() == 0 || *o.places.at(0) == 0 {
		return nil, nil
	}
	r, err := o.buffer.take(*o.places.at(0))
	if err != nil {
		return nil, err
	}
	o.places.pop()
	o.taken++
	return r, nil
}

// left is the number of places that were opened and whose records were not
// taken.
func (o *order) left() int { return int(o.opened - o.taken) }
