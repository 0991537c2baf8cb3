package list

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
)

// recordKey is the field of a JSON object that holds the verification record.
const recordKey = "rcpt"

// Names for what has no column or field of its own.
const (
	otherColumn = "rcpt_other" // CSV column for fields that the first lines do not have
	brokenKey   = "line"       // field with a line that is not an object
)

// addressField is the default field of the address.
const addressField = "email"

// maxBroken is how many of the first lines may be broken before the file is
// refused.
const maxBroken = 10

// jsonShape is the [shape] of JSON lines.
type jsonShape struct {
	*Description
	fields []string       // of the addresses
	known  []string       // fields of the first lines in their order: the columns of a CSV output
	place  map[string]int // index of each in known
}

// jsonKind is the [kind] of JSON lines.
type jsonKind struct{}

// recognise: "{" may begin an address, but not before a quote.
func (jsonKind) recognise(b *beginning) bool {
	lines := b.rows(0)
	if len(lines) == 0 {
		return false
	}
	inner, found := strings.CutPrefix(strings.TrimSpace(lines[0]), "{")
	return found && strings.HasPrefix(strings.TrimSpace(inner), `"`)
}

func (jsonKind) shape(d *Description) shape { return newJSONShape(d) }

func newJSONShape(d *Description) *jsonShape {
	s := &jsonShape{Description: d, fields: d.readNames(), known: d.columnNames(), place: make(map[string]int)}
	for i, name := range s.known {
		s.place[name] = i
	}
	return s
}

func (jsonKind) describe(b *beginning, d *Description) error {
	if b.HeaderRow != 0 {
		return choiceError(headerChoice, "it is JSON and has no row with names of columns: leave --header-row out")
	}
	lines := b.rows(0)
	for _, line := range lines {
		d.learn(line, b.Options.Columns)
	}
	var rows [][]string
	for _, line := range lines {
		rows = append(rows, newJSONShape(d).cells(line))
	}
	d.noteFirst(rows)
	d.tally(rows)
	for _, field := range b.Options.Columns {
		d.Read = append(d.Read, d.field(field, Given))
	}
	if len(d.Read) == 0 {
		d.Read = d.guessFields(lines)
	}
	s := newJSONShape(d)
	if slices.ContainsFunc(lines, s.hasRecord) {
		d.Earlier = Ours
	}
	d.findService(rows)
	if err := s.allBroken(lines[:min(len(lines), maxBroken)]); err != nil {
		return err
	}
	return s.checkTexts(lines)
}

// learn adds the fields of a line to the known ones.
func (d *Description) learn(line string, fields []string) {
	s := jsonShape{fields: fields}
	if len(fields) == 0 {
		s.fields = []string{addressField}
	}
	_, members, _, err := s.parse(line)
	if err != nil {
		return
	}
	for _, m := range members {
		if d.field(m.key, Only).Column < 0 && len(d.Columns) < MaxColumns {
			d.Columns = append(d.Columns, Column{Name: m.key})
		}
	}
}

// field returns the field with a name.
func (d *Description) field(name string, why Why) Choice {
	return Choice{slices.IndexFunc(d.Columns, func(c Column) bool { return c.Name == name }), name, why}
}

// guessFields returns the fields that an earlier run read, or else the field
// named addressField, the only one that has a known name, or the one that holds
// addresses.
func (d *Description) guessFields(lines []string) []Choice {
	if fields := newJSONShape(d).recordFields(lines); len(fields) > 1 {
		var read []Choice
		for _, name := range fields {
			read = append(read, d.field(name, Named))
		}
		return read
	}
	if email := d.field(addressField, Named); email.Column >= 0 && d.Columns[email.Column].Held > 0 {
		return []Choice{email}
	}
	if slices.ContainsFunc(d.Columns, func(c Column) bool { return c.Held > 0 }) {
		if column, why, err := d.guess(nil); err == nil {
			return []Choice{{column, d.Columns[column].Name, why}}
		}
	} else if !slices.ContainsFunc(d.columnNames(), isAddressName) {
		if name := nestedField(lines); name != "" {
			return []Choice{d.field(name, Holding)}
		}
	}
	return []Choice{d.field(addressField, Named)}
}

// recordFields returns the fields for which the first record that an earlier
// run added to a line has records of their own.
func (s *jsonShape) recordFields(lines []string) (fields []string) {
	for _, line := range lines {
		members, err := parseObject(line)
		if err != nil || len(members) < 2 || members[len(members)-1].key != recordKey {
			continue
		}
		records, err := parseObject(string(members[len(members)-1].value))
		if err != nil || slices.ContainsFunc(records, func(m member) bool { return resultIn(m.value) == nil }) {
			continue
		}
		for _, m := range records {
			fields = append(fields, m.key)
		}
		return fields
	}
	return nil
}

// hasRecord reports whether an earlier run added a record to a line, or wrote
// the line.
func (s *jsonShape) hasRecord(line string) bool {
	object, _, earlier, err := s.parse(line)
	return err == nil && (earlier != nil || resultIn(json.RawMessage(object)) != nil)
}

// checkTexts fails for a field in which no text is an address.
func (s *jsonShape) checkTexts(lines []string) error {
	for i, field := range s.fields {
		var texts []string
		for _, line := range lines {
			if found, err := s.addresses(line); err == nil {
				texts = append(texts, found[i])
			}
		}
		if f := flawOf(texts); f != nil {
			return f.errorOf(fmt.Sprintf("the field %q", field), "texts", "the fields are "+s.listed())
		}
	}
	return nil
}

// allBroken returns an error if no line holds an address: the file has another
// format.
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
		fields = "; write --column FIELD: the fields are " + s.listed()
	}
	return formatError("its first lines are not JSON objects with a string %q: %v%s", s.fields[0], first, fields)
}

// listed shows the fields for an error.
func (s *jsonShape) listed() string {
	var names []string
	for _, name := range s.known[:min(len(s.known), maxListed)] {
		names = append(names, shownCell(name))
	}
	return strings.Join(names, ", ")
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
	if some { // an object may have only some of several fields
		return found, nil
	}
	return nil, failed
}

// addressIn returns the field with the exact name, or else with the plain name.
// A field that occurs twice is an error: programs differ on which counts.
func addressIn(members []member, field string) (string, error) {
	isField := func(m member) bool { return m.key == field }
	i := slices.IndexFunc(members, isField)
	if i >= 0 && slices.ContainsFunc(members[i+1:], isField) {
		return "", fmt.Errorf("the JSON object has more than one %q", field)
	}
	if i < 0 {
		i = slices.IndexFunc(members, func(m member) bool { return strings.EqualFold(m.key, field) })
	}
	if outer, inner, nested := strings.Cut(field, "."); nested && i < 0 { // "properties.email"
		at := slices.IndexFunc(members, func(m member) bool { return m.key == outer })
		if at >= 0 {
			if within, err := parseObject(string(members[at].value)); err == nil {
				return addressIn(within, inner)
			}
		}
	}
	var address string // null leaves it empty
	var all []string
	switch {
	case i < 0:
	case json.Unmarshal(members[i].value, &address) == nil:
		return address, nil
	case json.Unmarshal(members[i].value, &all) == nil:
		return strings.Join(all, ", "), nil
	}
	return "", fmt.Errorf("the JSON object has no string %q", field)
}

func (s *jsonShape) cells(row string) []string {
	found := make([]string, len(s.known))
	_, members, _, err := s.parse(row)
	if err != nil {
		return []string{strings.TrimSpace(row)}
	}
	for _, m := range members {
		if i, known := s.place[m.key]; known {
			found[i] = m.cell()
		}
	}
	return found
}

func (s *jsonShape) names() []string { return slices.Clone(s.known) }

// parse parses a row and removes the record that an earlier run added at its
// end.
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

// isRecord reports whether a value is a verification record, or has one for
// each field that is read.
func (s *jsonShape) isRecord(value json.RawMessage) bool { return s.recordsIn(value) != nil }

func (s *jsonShape) recordsIn(value json.RawMessage) []*rcpt.Result {
	results := make([]*rcpt.Result, len(s.fields))
	if one := resultIn(value); one != nil {
		copy(results, []*rcpt.Result{one})
		return results
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
	for i, field := range s.fields {
		results[i] = resultIn(several[field])
	}
	return results
}

// resultIn parses a verification record. It returns nil for another value.
func resultIn(value json.RawMessage) *rcpt.Result {
	var record struct {
		Result, Message *string
		Success         *bool
		Reason          string
		Suggestion      string
		CheckedAt       time.Time `json:"checked_at"`
	}
	var r rcpt.Result
	if json.Unmarshal(value, &record) != nil || record.Result == nil || record.Message == nil ||
		record.Success == nil || json.Unmarshal(value, &r) != nil {
		return nil
	}
	if r.Details == nil {
		r.Verdict, r.Reason = rcpt.ReadWords(*record.Result, record.Reason)
		r.Suggestion, r.CheckedAt = record.Suggestion, record.CheckedAt
		r.Details = &rcpt.Details{CatchAll: rcpt.CatchAllUnknown}
	}
	return &r
}

// earlierResults also reads a row that is a record itself, as written for a
// list with one address per line.
func (s *jsonShape) earlierResults(row string) []*rcpt.Result {
	object, _, earlier, err := s.parse(row)
	switch {
	case err != nil:
		return nil
	case earlier != nil:
		return s.recordsIn(earlier)
	case s.service != nil:
		return s.serviceResults(s.cells(row))
	}
	return s.recordsIn(json.RawMessage(object))
}

func (s *jsonShape) csvHead(columns []string, o Output) []byte {
	header := slices.Concat(o.guarded(slices.Clone(s.known)), columns, []string{free(otherColumn, s.known)})
	return appendCells([]byte(o.mark()), header, o.Delimiter)
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

// jsonOutput is the [output] as JSON lines.
type jsonOutput struct{}

func (jsonOutput) head(*Writer) []byte { return nil }

func (jsonOutput) append(out []byte, w *Writer, raw string, results []rcpt.Result) []byte {
	return w.shape.appendJSON(out, raw, w.record(raw, results))
}

func (jsonOutput) pack(to io.Writer, head []byte, packing Packing) (Packer, error) {
	return packText(to, head, packing)
}
