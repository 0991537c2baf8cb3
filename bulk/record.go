package bulk

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/given"
)

// record is an item and what is known about it.
type record struct {
	item   Item
	answer *answer // nil: nothing yet
}

// answer is a trimmed result. It is shared by duplicates and never changed.
type answer struct {
	result rcpt.Result
}

// forItem returns an answer as that about another spelling of the same address.
func (r *run) forItem(a *answer, item Item) *answer {
	email, again := r.options.address(item), *a
	again.result.Email = strings.ToValidUTF8(email, "\uFFFD")
	if parsed, err := address.Read(email); err == nil {
		again.result.Local = parsed.Local()
	}
	if d := again.result.Details; d != nil && r.options.Clean {
		details := *d
		details.Given = ""
		again.result.Details = &details
		again.result = given.With(again.result, item.Email)
	}
	return &again
}

// About how many octets values take in memory besides their texts.
const (
	recordOctets  = 150 // with its place in the buffer
	answerOctets  = 250
	detailsOctets = 350
	lineOctets    = 40 // of a transcript
	entryOctets   = 100
)

func (r *record) octets() int64 {
	octets := r.item.octets()
	if r.answer != nil {
		octets += r.answer.octets()
	}
	return octets
}

func (i Item) octets() int64 { return int64(recordOctets + len(i.Email) + len(i.Row)) }

// octets counts what may be long; the rest of the texts are constants of the
// engine or within the estimates.
func (a *answer) octets() int64 {
	octets := answerOctets + len(a.result.Email)
	if d := a.result.Details; d != nil {
		octets += detailsOctets + entryOctets*(len(d.MX)+len(d.Matches))
		if d.SMTP != nil {
			octets += entryOctets + len(d.SMTP.Text)
		}
		for _, line := range d.Transcript {
			octets += lineOctets + len(line.Text)
		}
	}
	return int64(octets)
}

// plain is a result without its JSON form, which takes twice the time.
type plain rcpt.Result

// append appends r as octets: email, row and result, each after its
// length plus one; zero stands for a missing part.
func (r *record) append(to []byte) ([]byte, error) {
	to = appendField(to, []byte(r.item.Email))
	to = appendField(to, r.item.Row)
	if r.answer == nil {
		return appendField(to, nil), nil
	}
	result, err := json.Marshal((*plain)(&r.answer.result))
	if err != nil {
		return to, err
	}
	return appendField(to, result), nil
}

func appendField(to, field []byte) []byte {
	if field == nil {
		return append(to, 0)
	}
	return append(binary.AppendUvarint(to, uint64(len(field))+1), field...)
}

// parseRecord reads what [record.append] wrote. The record keeps nothing of
// from.
func parseRecord(from []byte) (*record, error) {
	var fields [3][]byte
	for i := range fields {
		size, n := binary.Uvarint(from)
		if n <= 0 || size > uint64(len(from)-n)+1 {
			return nil, errDamaged
		}
		from = from[n:]
		if size > 0 {
			fields[i], from = from[:size-1], from[size-1:]
		}
	}
	r := &record{item: Item{Email: string(fields[0])}}
	if fields[1] != nil {
		r.item.Row = append([]byte{}, fields[1]...)
	}
	if fields[2] == nil {
		return r, nil
	}
	r.answer = &answer{}
	return r, json.Unmarshal(fields[2], (*plain)(&r.answer.result))
}

var errDamaged = errors.New("a record is damaged")
