package settings

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"go.yaml.in/yaml/v4"
)

// PaceFlags say how fast mail hosts are asked, and which ones never.
type PaceFlags struct {
	MaxSessionsPerHost Count        `placeholder:"N" default:"${sessions_per_host}" help:"SMTP sessions with one mail host at a time, at most; it gets four at first. Default: ${default}."`
	MaxSessions        Count        `placeholder:"N" default:"1000" help:"SMTP sessions at a time. Default: ${default}."`
	Pace               pacePreset   `placeholder:"PRESET" default:"normal" help:"How carefully to ask providers: careful, normal or off; rcpt explain pace shows the limits, and pace in the file of --config changes them. Default: ${default}."`
	PaceLimits         paceLimits   `hidden:"" section:"pace" placeholder:"YAML" help:"Limits of your own, as they stand under pace in the file of --config."`
	NoAsk              []noAskRules `placeholder:"RULE" help:"Never contact the mail hosts of domain:NAME, mx:NAME or provider:NAME, or of the rules in @FILE; repeatable."`
}

// Settings are those of the pool.
func (f PaceFlags) Settings() pace.Settings {
	settings := pace.Settings(f.PaceLimits)
	settings.Preset = pace.Preset(f.Pace)
	return settings
}

// NoAskRules returns the rules for whom not to ask.
func (f PaceFlags) NoAskRules() []string {
	var all []string
	for _, rules := range f.NoAsk {
		all = append(all, rules...)
	}
	return all
}

// pacePreset is the name of a preset. YAML may read off as a boolean.
type pacePreset pace.Preset

func (p *pacePreset) UnmarshalText(text []byte) error {
	name := string(text)
	if name == "false" {
		name = string(pace.Off)
	}
	preset, err := pace.ParsePreset(name)
	if err != nil || name == "" {
		return fmt.Errorf("%q is not a preset: use careful, normal or off", text)
	}
	*p = pacePreset(preset)
	return nil
}

// paceLimits are settings without a preset, as YAML.
type paceLimits pace.Settings

func (l *paceLimits) UnmarshalText(text []byte) error {
	var raw map[string]any
	if err := yamlfile.Load(text, &raw); err != nil {
		return err
	}
	settings, err := readPace(raw)
	*l = paceLimits(settings)
	return err
}

// Names of the settings that a section pace of a file is made into.
const (
	paceSetting       = "pace"
	paceLimitsSetting = "pace-limits"
	presetKey         = "preset"
)

// addPace makes the section pace into two settings, so that the command line
// can change the preset alone.
func (c configFile) addPace(section *yaml.Node, line int) error {
	for i := 0; i < len(section.Content); i += 2 {
		if section.Content[i].Value != presetKey {
			continue
		}
		text, err := flagValue(section.Content[i+1])
		if err != nil {
			return fmt.Errorf("%s.%s: %w", paceSetting, presetKey, err)
		}
		c.settings[paceSetting] = setting{text, line}
		section.Content = slices.Delete(section.Content, i, i+2)
	}
	if len(section.Content) == 0 {
		return nil
	}
	return c.addYAML(paceLimitsSetting, section, line)
}

// ProviderTable returns what is known of a provider or of the provider of a
// mail host.
func ProviderTable(name string) (pace.Table, error) {
	if table, ok := provider.PacingOf(strings.ToLower(name)); ok {
		return table, nil
	}
	if network, err := netip.ParsePrefix(name); err == nil {
		return provider.Pacing("", network.Addr()), nil
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return provider.Pacing("", addr), nil
	}
	if strings.Contains(name, ".") {
		if table := provider.Pacing(name, netip.Addr{}); strings.Contains(table.Provider, ".") || table.Known {
			return table, nil
		}
	}
	const format = "%q is not a provider: use %s, or the name or IP address of a mail host"
	return pace.Table{}, fmt.Errorf(format, name, strings.Join(provider.PacingNames(), ", "))
}
