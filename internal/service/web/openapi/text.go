package openapi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// text is a description, in pieces: what stands between backticks is code.
type text []piece

type piece struct {
	Text string
	Code bool
}

func textOf(description string) text {
	var t text
	for i, part := range strings.Split(description, "`") {
		if part != "" {
			t = append(t, piece{part, i%2 == 1})
		}
	}
	return t
}

func paragraphs(description string) []text {
	if description == "" {
		return nil
	}
	var all []text
	for paragraph := range strings.SplitSeq(description, "\n\n") {
		all = append(all, textOf(paragraph))
	}
	return all
}

// literal is a value of JSON as it is written.
func literal(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(out)
}

// written is an example as it stands in a header or a query.
func written(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// listed joins words as people do.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
