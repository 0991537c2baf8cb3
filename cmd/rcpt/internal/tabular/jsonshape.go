package tabular

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	field string
	known []string       // fields of the first lines, in the order in which they appear: the columns of a CSV output
	place map[string]int // of each of them
}

func newJSONShape(t *text, field string) (*jsonShape, error) {
	s := &jsonShape{field: field, place: make(map[string]int)}
	if field == "" {
		s.field = addressField
	}
	lines := firstRows(t.sample, t.whole, 0)
	if err := s.allBroken(lines[:min(len(lines), maxBroken)]); err != nil {
		return nil, err
	}
	for _, line := range lines {
		s.learn(line)
	}
	return s, nil
}

// allBroken is an error if none of lines holds an address, which means that the file is something else.
func (s *jsonShape) allBroken(lines []string) error {
	var first error
	for _, line := range lines {
		_, err := s.address(line)
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
	return formatError("its first lines are no JSON objects with a string %q: %v", s.field, first)
}

// learn remembers the fields of a line.
func (s *jsonShape) learn(line string) {
	members, err := parseObject(line)
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

func (s *jsonShape) address(row string) (string, error) {
	members, err := parseObject(row)
	if err != nil {
		return "", err
	}
	return s.addressIn(members)
}

// addressIn takes the field by its name, letter by letter first. Where it is there twice, programs differ on which of the two counts.
func (s *jsonShape) addressIn(members []member) (string, error) {
	isField := func(m member) bool { return m.key == s.field }
	i := slices.IndexFunc(members, isField)
	if i >= 0 && slices.ContainsFunc(members[i+1:], isField) {
		return "", fmt.Errorf("the JSON object has more than one %q", s.field)
	}
	if i < 0 {
		i = slices.IndexFunc(members, func(m member) bool { return strings.EqualFold(m.key, s.field) })
	}
	var address *string
	if i < 0 || json.Unmarshal(members[i].value, &address) != nil || address == nil {
		return "", fmt.Errorf("the JSON object has no string %q", s.field)
	}
	return *address, nil
}

func (s *jsonShape) csvHead(columns []string, o Output) []byte {
	header := slices.Concat(o.guarded(slices.Clone(s.known)), columns, []string{free(otherColumn, s.known)})
	return appendCells(nil, header, o.Delimiter)
}

func (s *jsonShape) appendCSV(out []byte, row string, added []string, o Output) []byte {
	members, err := parseObject(row)
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
	object := strings.TrimSpace(row)
	members, err := parseObject(object)
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
