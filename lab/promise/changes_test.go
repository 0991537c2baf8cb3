package main

import (
	"strings"
	"testing"
)

func TestStableChanges(t *testing.T) {
	was := &folder{names: []name{
		{text: "Config"}, {text: "Config.Pace", experimental: true}, {text: "Verifier"}, {text: "Verifier.Stats", experimental: true},
		{text: "Lane", experimental: true}, {text: "Grown", experimental: true}, {text: "Verify"}, {text: "Settled"},
	}}
	is := &folder{names: []name{
		{text: "Config"}, {text: "Config.Fresh"}, {text: "Config.Young", experimental: true}, {text: "Verifier"},
		{text: "Grown"}, {text: "Settled", experimental: true},
	}}
	for line, want := range map[string]bool{
		"- Verify: removed":                                         true,
		"- Config.Fresh: added":                                     true,
		"- (*Verifier).Close: removed":                              true,
		"- Settled: changed from int to string":                     true, // a mark does not free what was stable
		"- package removed":                                         true,
		"- Config.Pace: changed from pace.Settings to pace.Presets": false,
		"- (*Verifier).Stats: removed":                              false,
		"- Verifier.Stats: removed":                                 false,
		"- Lane.MayWait: removed":                                   false,
		"- Config.Young: added":                                     false,
		"- Grown: changed from int to string":                       false,
		"- Config: old is comparable, new is not":                   false,
	} {
		for _, heading := range []string{"Incompatible changes:", "Compatible changes:"} {
			var out strings.Builder
			incompatible, err := stableChanges(strings.NewReader(heading+"\n"+line+"\n"), &out, was, is)
			wanted := ""
			if want {
				wanted = heading + "\n" + line + "\n"
			}
			if err != nil || out.String() != wanted || incompatible != (want && heading[0] == 'I') {
				t.Errorf("%s %s: %q, incompatible %v, %v", heading, line, out.String(), incompatible, err)
			}
		}
	}
}
