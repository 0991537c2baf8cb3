package tabular

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// recordKey is the field of a JSON object that holds the verification record.
const recordKey = "rcpt"

// Names that stand in for what a JSON line has no place for.
const (
	otherColumn = "rcpt_other" // CSV column with the fields that the first lines do not have
	brokenKey   = "line"       // field with a line that is no object
)

// addressField is where the address is unless --column says otherwise.
const addressField = "email"

// maxBroken is how many lines at the beginning may be broken before the file is taken for something else.
const maxBroken = 10

// jsonShape is a [shape] of JSON lines.
type jsonShape struct {
	fields []string       // of the addresses
	known  []string       // fields of the first lines, in the order in which they appear: the columns of a CSV output
	place  map[string]int // of each of them
}

func newJSONShape(t *text, fields []string) (*jsonShape, error) {
	s := &jsonShape{fields: fields, place: make(map[string]int)}
	if len(fields) == 0 {
		s.fields = []string{addressField}
	}
	lines := firstRows(t.sample, t.whole, 0)
	for _, line := range lines {
		s.learn(line)
	}
	if len(fields) == 0 {
		s.guess()
	}
	if err := s.allBroken(lines[:min(len(lines), maxBroken)]); err != nil {
		return nil, err
	}
	return s, s.checkTexts(lines)
}

// checkTexts refuses a field that has other words beside each address.
func (s *jsonShape) checkTexts(lines []string) error {
	for i, field := range s.fields {
		var texts []string
		for _, line := range lines {
			if found, err := s.addresses(line); err == nil {
				texts = append(texts, found[i])
			}
		}
		if shown := besideWords(texts); shown != "" {
			return formatError("the field %q has other words beside the addresses: its first texts are %s: put the addresses into a field of their own, "+
				"or into angle brackets", field, shown)
		}
	}
	return nil
}

// guess takes the only field with a known name where there is none that is called as it should be.
func (s *jsonShape) guess() {
	if slices.ContainsFunc(s.known, func(name string) bool { return strings.EqualFold(name, addressField) }) {
		return
	}
	named := slices.DeleteFunc(slices.Clone(s.known), func(name string) bool { return !isAddressName(name) })
	if len(named) == 1 {
		s.fields = named
	}
}

// addressFieldOf is the field into which an address goes that stands alone.
func addressFieldOf(fields []string) string {
	if len(fields) == 0 {
		return addressField
	}
	return fields[0]
}

// allBroken is an error if none of lines holds an address, which means that the file is something else.
func (s *jsonShape) allBroken(lines []string) error {
	var first error
	for _, line := range lines {
		_, err := s.addresses(line)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		return nil
	}
	fields := ""
	if len(s.known) > 0 {
		var names []string
		for _, name := range s.known[:min(len(s.known), maxListed)] {
			names = append(names, shownCell(name))
		}
		fields = "; write --column FIELD: the fields are " + strings.Join(names, ", ")
	}
	return formatError("its first lines are no JSON objects with a string %q: %v%s", s.fields[0], first, fields)
}

// learn remembers the fields of a line.
func (s *jsonShape) learn(line string) {
	_, members, _, err := s.parse(line)
	if err != nil {
		return
	}
	for _, m := range members {
		if _, found := s.place[m.key]; !found && len(s.known) < MaxColumns {
			s.place[m.key] = len(s.known)
			s.known = append(s.known, m.key)
		}
	}
}

func (s *jsonShape) addresses(row string) ([]string, error) {
	members, err := parseObject(row)
	if err != nil {
		return nil, err
	}
	found := make([]string, len(s.fields))
	var failed error
	some := false
	for i, field := range s.fields {
		if found[i], err = addressIn(members, field); err != nil {
			failed = cmp.Or(failed, err)
		} else {
			some = true
		}
	}
	if some { // of several fields an object may have one
		return found, nil
	}
	return nil, failed
}

// addressIn takes the field by its name, letter by letter first. Where it is there twice, programs differ on which of the two counts.
func addressIn(members []member, field string) (string, error) {
	isField := func(m member) bool { return m.key == field }
	i := slices.IndexFunc(members, isField)
	if i >= 0 && slices.ContainsFunc(members[i+1:], isField) {
		return "", fmt.Errorf("the JSON object has more than one %q", field)
	}
	if i < 0 {
		i = slices.IndexFunc(members, func(m member) bool { return strings.EqualFold(m.key, field) })
	}
	var address string // null leaves it empty
	if i < 0 || json.Unmarshal(members[i].value, &address) != nil {
		return "", fmt.Errorf("the JSON object has no string %q", field)
	}
	return address, nil
}

func (s *jsonShape) readNames() []string { return s.fields }

// parse reads a row without the record that an earlier run has put at its end.
func (s *jsonShape) parse(row string) (object string, members []member, earlier json.RawMessage, err error) {
	object = strings.TrimSpace(row)
	if members, err = parseObject(object); err != nil || len(members) < 2 {
		return object, members, nil, err
	}
	last := members[len(members)-1]
	if last.key != recordKey || !s.isRecord(last.value) {
		return object, members, nil, nil
	}
	members = members[:len(members)-1]
	return object[:members[len(members)-1].end] + "}", members, last.value, nil
}

// isRecord says whether a value is a verification record, or has one for each field that is read.
func (s *jsonShape) isRecord(value json.RawMessage) bool { return s.recordsIn(value) != nil }

func (s *jsonShape) recordsIn(value json.RawMessage) []*engine.Result {
	if one := resultIn(value); one != nil {
		return append([]*engine.Result{one}, make([]*engine.Result, len(s.fields)-1)...)
	}
	var several map[string]json.RawMessage
	if json.Unmarshal(value, &several) != nil || len(several) == 0 {
		return nil
	}
	for _, each := range several {
		if resultIn(each) == nil {
			return nil
		}
	}
	results := make([]*engine.Result, len(s.fields))
	for i, field := range s.fields {
		results[i] = resultIn(several[field])
	}
	return results
}

// resultIn reads a verification record; nil: it is none.
func resultIn(value json.RawMessage) *engine.Result {
	var record struct {
		Result, Message *string
		Success         *bool
		Reason          engine.Reason
		Suggestion      string
	}
	var r engine.Result
	if json.Unmarshal(value, &record) != nil || record.Result == nil || record.Message == nil || record.Success == nil || json.Unmarshal(value, &r) != nil {
		return nil
	}
	if r.Details == nil {
		r.Details = &engine.Details{Reason: record.Reason, Suggestion: record.Suggestion, CatchAll: engine.CatchAllUnknown}
	}
	return &r
}

// earlierResults takes a row that is a record itself, as one address a line becomes in JSON, for that of its address.
func (s *jsonShape) earlierResults(row string) []*engine.Result {
	object, _, earlier, err := s.parse(row)
	if err != nil {
		return nil
	}
	if earlier == nil {
		earlier = json.RawMessage(object)
	}
	return s.recordsIn(earlier)
}

func (s *jsonShape) csvHead(columns []string, o Output) []byte {
	header := slices.Concat(o.guarded(slices.Clone(s.known)), columns, []string{free(otherColumn, s.known)})
	return appendCells(nil, header, o.Delimiter)
}

func (s *jsonShape) appendCSV(out []byte, row string, added []string, o Output) []byte {
	_, members, _, err := s.parse(row)
	other := ""
	if err != nil {
		other = strings.TrimSpace(row)
	}
	known, filled := make([]string, len(s.known)), make([]bool, len(s.known))
	var rest []member
	for _, m := range members {
		if i, found := s.place[m.key]; found && !filled[i] {
			known[i], filled[i] = m.cell(), true
		} else {
			rest = append(rest, m)
		}
	}
	if len(rest) > 0 {
		other = string(appendObject(nil, rest))
	}
	return appendCells(out, slices.Concat(o.guarded(known), added, o.guarded([]string{other})), o.Delimiter)
}

func (s *jsonShape) appendJSON(out []byte, row string, record []byte) []byte {
	object, members, _, err := s.parse(row)
	if err != nil || len(members) == 0 {
		out = append(out, '{')
		out = appendString(out, brokenKey)
		out = append(out, ':')
		out = appendString(out, object)
	} else {
		out = append(out, strings.TrimSuffix(object, "}")...)
	}
	var taken []string
	for _, m := range members {
		taken = append(taken, m.key)
	}
	out = append(out, ',')
	out = appendString(out, free(recordKey, taken))
	out = append(out, ':')
	out = append(out, record...)
	return append(out, '}', '\n')
}

func (s *jsonShape) taken() []string { return s.known }
