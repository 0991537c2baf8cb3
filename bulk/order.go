package bulk

// order brings records that are done in any order into that of the source.
type order struct {
	buffer *spillBuffer
	next   int64      // the first place that was not taken
	places queue[ref] // from next on; zero: not done yet
}

// open appends a place and returns its number.
func (o *order) open() int64 {
	o.places.push(0)
	return o.next + int64(o.places.len()) - 1
}

func (o *order) fill(place int64, r *record) { *o.places.at(int(place - o.next)) = o.buffer.put(r) }

// take returns the record that is next in order; nil: it is not done.
func (o *order) take() (*record, error) {
	if o.places.len() == 0 || *o.places.at(0) == 0 {
		return nil, nil
	}
	r, err := o.buffer.take(*o.places.at(0))
	if err != nil {
		return nil, err
	}
	o.places.pop()
	o.next++
	return r, nil
}
