package settings

import (
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/internal/service/keyring"
)

// Setting is the value of a setting and where it comes from.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"` // secrets are masked; empty: the default that the help describes
	From  string `json:"from"`  // "flag", "environment", "file" or "default"
	Place string `json:"place,omitempty"`
}

// InForce returns the settings of the command that was parsed, and the
// key of the server.
func (g Given) InForce(parsed *kong.Context) []Setting {
	var file configFile
	for _, flag := range parsed.Flags() {
		if path := parsed.FlagValue(flag); flag.Name == "config" && path != ConfigFlag("") {
			file, _ = loadConfig(string(path.(ConfigFlag))) // parsed before
		}
	}
	var all []Setting
	if parsed.Command() == "serve" {
		if os.Getenv(keyring.FixedVariable) != "" {
			all = append(all, Setting{"api-key", hidden, "environment", keyring.FixedVariable})
		}
	}
	for _, flag := range parsed.Flags() {
		if flag.Hidden && !flag.Tag.Has(sectionTag) || !settable(flag) {
			continue
		}
		setting := Setting{Name: flag.Name, From: "default", Value: flag.Default}
		if at := onLine(parsed, flag); at > 0 {
			setting.From, setting.Value = "flag", g.first(flag, at)
		} else if name := setVariable(flag); name != "" {
			setting.From, setting.Place, setting.Value = "environment", name, os.Getenv(name)
		} else if set, found := file.settings[flag.Name]; found {
			setting.From, setting.Value = "file", set.value
			setting.Place = fmt.Sprintf("%s, line %d", file.path, set.line)
		}
		if flag.Name == retentionSetting {
			setting.Value = wholeRetention(setting.Value, flag.Default)
		}
		setting.Value = masked(flag, setting.Value)
		all = append(all, setting)
	}
	return all
}

// onLine returns how often a flag is on the command line.
func onLine(parsed *kong.Context, flag *kong.Flag) (times int) {
	for _, element := range parsed.Path {
		if element.Flag != nil && element.Flag.Name == flag.Name && !element.Resolved {
			times++
		}
	}
	return times
}

// setVariable returns the environment variable that sets a flag, or "".
func setVariable(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}

// hidden is what is shown in place of a secret.
const hidden = "(hidden)"

// masked returns the value of a setting without its secrets: what is before the
// host and behind the path of a URL, and the key in the zone of a DNS list.
func masked(flag *kong.Flag, value string) string {
	if flag.Tag.Has("secret") && value != "" {
		return hidden
	}
	if flag.Name == egressSetting && value != "" {
		return maskedEgresses(value)
	}
	var parts []string
	for _, part := range kong.SplitEscaped(value, ',') {
		if strings.Contains(part, "://") {
			part = maskedURL(part)
		} else if flag.Name == "rhsbl" {
			part = maskedZone(part)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

func maskedURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return hidden
	}
	if u.RawQuery != "" {
		u.RawQuery = "..."
	}
	return u.Redacted()
}

// leastZoneKey is the length from which the first label of a zone is a key, as
// for engine/rhsbl.
const leastZoneKey = 20

// maskedZone hides a first label that is long enough for a key.
func maskedZone(zone string) string {
	label, rest, found := strings.Cut(zone, ".")
	if found && len(label) >= leastZoneKey {
		return "(hidden)." + rest
	}
	return zone
}

// Given are the texts of the values of flags, in the order in which they
// were parsed: those of the command line come first.
type Given map[*kong.Value][]string

// Watch records the values of the flags of a command and those below it, as
// they are parsed.
func Watch(node *kong.Node) Given {
	g := Given{}
	for _, flag := range FlagsOf(node) {
		if !flag.IsBool() {
			flag.Mapper = watchedValue{flag.Mapper, g}
		}
	}
	return g
}

// first returns the first values of a flag as one.
func (g Given) first(flag *kong.Flag, n int) string {
	if flag.IsBool() {
		return fmt.Sprint(flag.Target.Interface())
	}
	values := g[flag.Value]
	return strings.Join(values[:min(n, len(values))], ",")
}

// watchedValue is a [kong.Mapper] that records values.
type watchedValue struct {
	kong.Mapper
	given Given
}

// Decode records and parses the value.
func (m watchedValue) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if next := ctx.Scan.Peek(); next.IsValue() {
		m.given[ctx.Value] = slices.Concat(m.given[ctx.Value], []string{fmt.Sprint(next.Value)})
	}
	return m.Mapper.Decode(ctx, target)
}
