package list

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// element is the part of a path that stands for each element of an array; the
// others are keys of objects.
const element = "[]"

// maxWithin bounds how deep values are that a guess looks at.
const maxWithin = 16

// jsonHold is a string of JSON that is an address, or is named as one, by its
// path from the top.
type jsonHold []string

// arrays is how many arrays it is in.
func (h jsonHold) arrays() int {
	count := 0
	for _, part := range h {
		if part == element {
			count++
		}
	}
	return count
}

// array is the path of the innermost array that it is in.
func (h jsonHold) array() []string {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i] == element {
			return h[:i]
		}
	}
	return nil
}

// jsonHolds finds the addresses in the JSON values with which a text begins,
// and counts the values.
func jsonHolds(text []byte) (holds []jsonHold, values int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var walk func(path []string) error
	walk = func(path []string) error {
		token, err := decoder.Token()
		if err != nil || len(path) > maxWithin {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		text, is := token.(string)
		if named := len(path) > 0 && isAddressName(path[len(path)-1]); is && looksLikeAddress(text) ||
			named && (is || token == nil) {
			holds = append(holds, slices.Clone(path))
		}
		opens, is := token.(json.Delim)
		if !is { // a string, a number or the like
			return nil
		}
		for decoder.More() {
			part := element
			if opens == '{' {
				key, err := decoder.Token()
				if err != nil {
					return err
				}
				part = key.(string) // the decoder allows no other token here
			}
			if err := walk(append(path, part)); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
		return err
	}
	for walk(nil) == nil {
		values++
	}
	return holds, values
}

// within returns the path of the array with the list in JSON as APIs send it:
// {"members":[{"email":…}],"total":1}. It is nil if the values at the top are
// the list, and the error names several arrays.
func (b *beginning) within() ([]string, error) {
	text := bytes.TrimSpace(b.text)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, nil
	}
	holds, values := jsonHolds(text)
	// A single object with an array of objects may have an address of its own.
	if slices.ContainsFunc(holds, func(h jsonHold) bool { return h.arrays() > 0 && h[len(h)-1] != element }) {
		holds = slices.DeleteFunc(holds, func(h jsonHold) bool {
			name := h[len(h)-1]
			return h.arrays() == 0 && values < 2 && !isAddressName(name) && !slices.Contains(b.Options.Columns, name)
		})
	}
	if len(holds) == 0 {
		return nil, nil
	}
	least := slices.MinFunc(holds, func(a, b jsonHold) int { return a.arrays() - b.arrays() }).arrays()
	var paths [][]string
	for _, h := range holds {
		isSame := func(path []string) bool { return slices.Equal(path, h.array()) }
		if h.arrays() == least && !slices.ContainsFunc(paths, isSame) {
			paths = append(paths, h.array())
		}
	}
	if len(paths) > 1 {
		return nil, severalArrays(paths[0], paths[1])
	}
	return paths[0], nil
}

func severalArrays(one, other []string) error {
	return formatError("the addresses are in several arrays, such as %s and %s: "+
		"choose one with jq -c '%s' FILE | rcpt bulk -", jq(one), jq(other), jq(one))
}

// jq is a path as the program of that name writes it, with its elements.
func jq(path []string) string {
	out := strings.ReplaceAll("."+strings.Join(path, "."), "."+element, element)
	if strings.HasPrefix(out, element) || out == "." {
		return "." + strings.TrimPrefix(out+element, ".")
	}
	return out + element
}

// nextWithin reads up to the next element of the arrays at the path. Values
// beside them are skipped: a page's number, links. It returns io.EOF after the
// last value at the top, of which there may be several: pages of an API.
func (v *jsonValues) nextWithin() error {
	for {
		v.limit.left = 2 * MaxRow
		if v.depth > len(v.path) && v.decoder.More() {
			return nil
		}
		if v.depth > 0 && !v.decoder.More() {
			if _, err := v.decoder.Token(); err != nil {
				return v.broken(err)
			}
			v.depth--
			continue
		}
		wanted := true
		if v.depth > 0 && v.path[v.depth-1] != element {
			key, err := v.decoder.Token()
			if err != nil {
				return v.broken(err)
			}
			wanted = key == v.path[v.depth-1]
		}
		token, err := v.decoder.Token()
		if errors.Is(err, io.EOF) && v.depth == 0 {
			return io.EOF
		}
		if err != nil {
			return v.broken(err)
		}
		opens := json.Delim('{')
		if v.depth == len(v.path) || v.path[v.depth] == element {
			opens = '['
		}
		if wanted && token == opens {
			v.depth++
		} else if err := v.skip(token); err != nil {
			return err
		}
	}
}

// skip reads the rest of a value. Addresses in another array are no part of the
// list that is read, and it would be wrong to leave them out silently.
func (v *jsonValues) skip(token json.Token) error {
	var open []json.Token
	for {
		switch token {
		case json.Delim('{'), json.Delim('['):
			open = append(open, token)
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		text, is := token.(string)
		if is && looksLikeAddress(text) && slices.Contains(open, json.Token(json.Delim('['))) {
			v.malformed = true
			return formatError("behind element %d there are addresses outside of %s, such as %q: "+
				"choose with jq what is read", v.number, jq(v.path), text)
		}
		if len(open) == 0 {
			return nil
		}
		v.limit.left = 2 * MaxRow
		var err error
		if token, err = v.decoder.Token(); err != nil {
			return v.broken(err)
		}
	}
}

// nestedField returns the field with addresses within the objects of fields,
// such as "properties.email", if it is clear which; else "".
func nestedField(lines []string) string {
	counts := make(map[string]int)
	for _, line := range lines {
		holds, _ := jsonHolds([]byte(line))
		for _, h := range holds {
			if h.arrays() == 0 && len(h) > 1 {
				counts[strings.Join(h, ".")]++
			}
		}
	}
	named, most, best := 0, 0, ""
	for name, count := range counts {
		most = max(most, count)
		if isAddressName(name[strings.LastIndexByte(name, '.')+1:]) {
			named, best = named+1, name
		}
	}
	if named == 1 {
		return best
	}
	likely := 0
	for name, count := range counts {
		if count > most/2 {
			likely, best = likely+1, name
		}
	}
	if named > 1 || likely != 1 {
		return ""
	}
	return best
}
