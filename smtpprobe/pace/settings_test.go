package pace

import (
	"slices"
	"testing"
	"time"
)

func TestParsePreset(t *testing.T) {
	for _, p := range Presets() {
		if got, err := ParsePreset(string(p)); err != nil || got != p {
			t.Errorf("%q is read as %q (%v)", p, got, err)
		}
	}
	if got, err := ParsePreset(""); err != nil || got != Normal {
		t.Errorf("nothing is read as %q (%v)", got, err)
	}
	if got, err := ParsePreset("fast"); err == nil {
		t.Errorf("fast is read as %q", got)
	}
}

// TestRules checks which of several limits holds, and that it says why.
func TestRules(t *testing.T) {
	google := Table{Provider: "google", Known: true, Limits: Limits{Sessions: 5}, Sources: map[string]string{"sessions": "a page"}}
	unknown := Table{Provider: "example.com"}
	own := map[string]Limits{"google": {Sessions: 7, RecipientsPerMinute: Unlimited}, "example.com": {RefusedPause: time.Hour}}
	for _, tt := range []struct {
		name     string
		settings Settings
		table    Table
		rule     Rule
	}{
		{"the table", Settings{}, google, Rule{"sessions", "5", FromTable, "a page"}},
		{"the default where the table is silent", Settings{}, google, Rule{"sessions_per_minute", "600", FromDefault, ""}},
		{"the default", Settings{}, unknown, Rule{"sessions", "10", FromDefault, ""}},
		{"no limit", Settings{}, unknown, Rule{"recipients_per_day", "none", FromDefault, ""}},
		{"a pause", Settings{}, unknown, Rule{"refused_pause", "5m0s", FromDefault, ""}},
		{"an override", Settings{Providers: own}, google, Rule{"sessions", "7", FromOverride, ""}},
		{"an override by none", Settings{Providers: own}, google, Rule{"recipients_per_minute", "none", FromOverride, ""}},
		{"an override of a pause", Settings{Providers: own}, unknown, Rule{"refused_pause", "1h0m0s", FromOverride, ""}},
		{"another default", Settings{Unknown: Limits{Sessions: 20}}, unknown, Rule{"sessions", "20", FromOverride, ""}},
		{"another default, the table", Settings{Unknown: Limits{Sessions: 20}}, google, Rule{"sessions", "5", FromTable, "a page"}},
		{"careful", Settings{Preset: Careful}, google, Rule{"sessions", "3", FromPreset, "a page"}},
		{"careful, without a limit", Settings{Preset: Careful}, unknown, Rule{"recipients_per_minute", "none", FromDefault, ""}},
		{"careful, an override", Settings{Preset: Careful, Providers: own}, google, Rule{"sessions", "7", FromOverride, ""}},
		{"off", Settings{Preset: Off}, google, Rule{"sessions", "none", FromPreset, "a page"}},
		{"off, a pause", Settings{Preset: Off}, unknown, Rule{"refused_pause", "5m0s", FromDefault, ""}},
		{"off, an override", Settings{Preset: Off, Providers: own}, google, Rule{"sessions", "7", FromOverride, ""}},
	} {
		settings := tt.settings.WithDefaults()
		rules, why := settings.Rules(tt.table), settings.Why(tt.table)
		if rules.Provider != tt.table.Provider || rules.Known != tt.table.Known || len(why) != len(limitFields) {
			t.Errorf("%s: %+v", tt.name, rules)
		}
		i := slices.IndexFunc(why, func(r Rule) bool { return r.Name == tt.rule.Name })
		if i < 0 || why[i] != tt.rule {
			t.Errorf("%s: %+v, want %+v", tt.name, why, tt.rule)
		}
		if got := limitFields[i].text(limitFields[i].of(&rules.Limits)); got != tt.rule.Value {
			t.Errorf("%s: %s in force, want %s", tt.name, got, tt.rule.Value)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for name, s := range map[string]Settings{
		"no preset":         {Preset: "fast"},
		"a negative number": {Unknown: Limits{Sessions: -2}},
		"a negative pause":  {Providers: map[string]Limits{"google": {RefusedPause: -time.Second}}},
		"a share above one": {Harvest: Harvest{Share: 1.5}},
		"a longest pause":   {MaxPause: -1},
	} {
		if s.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for name, s := range map[string]Settings{
		"nothing":  {},
		"defaults": Settings{}.WithDefaults(),
		"careful":  Settings{Preset: Careful}.WithDefaults(),
		"no limit": {Unknown: Limits{Sessions: Unlimited, RefusedPause: Unlimited}, Harvest: Harvest{Recipients: Unlimited}},
	} {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStrictProvidersBeginWithTwo checks how many sessions a mail host may have
// at first.
func TestStrictProvidersBeginWithTwo(t *testing.T) {
	for _, tt := range []struct {
		preset Preset
		limit  int // of the table; zero: it has none
		want   int
	}{
		{Normal, 0, 4},
		{Normal, 10, 4},
		{Normal, 8, 4},
		{Normal, 7, 2},
		{Normal, 5, 2},
		{Normal, 2, 2},
		{Careful, 10, 2},
		{Off, 5, 4},
	} {
		rules := Settings{Preset: tt.preset}.Rules(Table{Provider: "p", Limits: Limits{Sessions: tt.limit}})
		if got := rules.FirstSessions(); got != tt.want {
			t.Errorf("%s, %d sessions: a host begins with %d, want %d", tt.preset, tt.limit, got, tt.want)
		}
	}
}
