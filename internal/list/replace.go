package list

import "strings"

// Replaced returns a row with cells replaced: by gets each of them as people
// read it, and returns what is to stand in its place.
func (r *Reader) Replaced(raw string, by func(cell string) string) string {
	return r.shape.replaced(raw, by)
}

// Encoded returns a text of rows in the encoding of the list; false: it has
// letters that the encoding lacks.
func (r *Reader) Encoded(text string) (octets string, ok bool) {
	octets, err := r.description.Encoding.encoding().NewEncoder().String(text)
	return octets, err == nil
}

// JSONOf returns rows of a list as a JSON text of the same form. It
// is for lists whose rows are not in the text as they were read.
func (r *Reader) JSONOf(rows []string) (text string) {
	text = strings.Join(rows, "\n")
	d := &r.description
	if d.Array {
		text = "[" + strings.Join(rows, ",") + "]"
	}
	for i := range d.Within {
		if key := d.Within[len(d.Within)-1-i]; key == "[]" {
			text = "[" + text + "]"
		} else {
			text = "{" + string(marshal(key)) + ":" + text + "}"
		}
	}
	text, _ = r.Encoded(text)
	return text
}

func (s *csvShape) replaced(row string, by func(string) string) string {
	body, end := s.cut(row)
	fields, _ := split(body, s.delimiter)
	var changed []byte
	for i, f := range fields {
		if i > 0 {
			changed = append(changed, s.delimiter)
		}
		cell := s.text.toUTF8(unquote(body[f.from:f.to]))
		if in := by(cell); in == cell {
			changed = append(changed, body[f.from:f.to]...)
		} else {
			changed = appendCell(changed, in, s.delimiter)
		}
	}
	return string(changed) + end
}

// replaced leaves the names of the fields as they are. A line that is no object
// is one cell.
func (s *jsonShape) replaced(row string, by func(string) string) string {
	line := strings.TrimSpace(row)
	members, err := parseObject(line)
	if err != nil {
		return strings.Replace(row, line, by(line), 1)
	}
	for i, m := range members {
		if in := by(m.cell()); in != m.cell() {
			members[i].value = marshal(in)
		}
	}
	return strings.Replace(row, line, string(appendObject(nil, members)), 1)
}

func (lineShape) replaced(row string, by func(string) string) string {
	line := strings.TrimSpace(row)
	return strings.Replace(row, line, by(line), 1)
}
