package settings

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

func TestRetention(t *testing.T) {
	const day = 24 * time.Hour
	whole := rows.DefaultRetention
	short := whole
	short.Lists, short.Results = 7*day, 90*time.Minute
	for text, want := range map[string]rows.Retention{
		"":                            whole,
		"{}":                          whole,
		"{lists: 7d, results: 1h30m}": short,
		"{lists: 5m}":                 {}, // too short for what is under way
		"{lists: 0s}":                 {},
		"{lists: -1d}":                {},
		"{lists: 7}":                  {},
		"{lists: }":                   {},
		"{list: 7d}":                  {},
		"[7d]":                        {},
		"7d":                          {},
	} {
		got, err := RetentionFlag{yamlText(text)}.Periods()
		if (err != nil) != (want == rows.Retention{}) || err == nil && got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
