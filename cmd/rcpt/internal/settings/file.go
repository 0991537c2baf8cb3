package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/internal/listdata/suggest"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/internal/sys/yamlfile"
	"go.yaml.in/yaml/v4"
)

// ConfigFlag is the path of a configuration file.
type ConfigFlag string

// BeforeResolve loads the file and registers its settings with kong.
func (ConfigFlag) BeforeResolve(parsed *kong.Context, trace *kong.Path) error {
	path := string(parsed.FlagValue(trace.Flag).(ConfigFlag))
	file, err := loadConfig(path)
	if err != nil {
		return fmt.Errorf("%s: %w", originOf(parsed, trace, path), err)
	}
	parsed.AddResolver(file)
	return nil
}

// originOf says where the value of a flag comes from. kong traces the command
// line only.
func originOf(parsed *kong.Context, trace *kong.Path, value string) string {
	if slices.Contains(parsed.Path, trace) {
		return "--" + trace.Flag.Name + " " + value
	}
	return strings.Join(trace.Flag.Envs, " or ") + "=" + value
}

// configFile holds the settings of a YAML file by the names of flags. The
// command line and the environment override it.
type configFile struct {
	path     string
	settings map[string]setting
}

// setting is a value as it is written on the command line, and its line in the
// file.
type setting struct {
	value string
	line  int
}

func loadConfig(path string) (configFile, error) {
	data, err := wholefile.Read(path)
	if err != nil {
		return configFile{}, err
	}
	file, errs := readConfig(path, data)
	return file, errors.Join(errs...)
}

// readConfig reads the settings of a file. It returns the errors of all of
// them.
func readConfig(path string, data []byte) (configFile, []error) {
	sections, err := sectionsOf(data)
	if err != nil {
		return configFile{}, []error{err}
	}
	file := configFile{path: path, settings: map[string]setting{}}
	var errs []error
	for i := 0; i < len(sections); i += 2 {
		key, value := sections[i], sections[i+1]
		if err := file.add(key.Value, value, key.Line); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", key.Line, err))
		}
	}
	return file, errs
}

// sectionsOf returns the keys and values of a file by turns.
func sectionsOf(data []byte) ([]*yaml.Node, error) {
	root, err := yamlfile.Parse(data)
	if err != nil || root == nil || root.ShortTag() == nullTag {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		const format = "line %d: there is no setting: write settings as NAME: VALUE, one per line"
		return nil, fmt.Errorf(format, root.Line)
	}
	return root.Content, yamlfile.Decode(root, &map[string]any{})
}

// yamlSettings are sections that become the YAML of a flag.
var yamlSettings = []string{egressSetting, routesSetting, retentionSetting}

// add adds what stands under a key.
func (c configFile) add(key string, value *yaml.Node, line int) error {
	empty := value.ShortTag() == nullTag
	switch {
	case key == paceSetting && value.Kind == yaml.MappingNode:
		return c.addPace(value, line)
	case slices.Contains(yamlSettings, key) && value.ShortTag() != textTag && !empty:
		return c.addYAML(key, value, line)
	}
	text, err := flagValue(value)
	if err != nil {
		err = fmt.Errorf("%q: %w", key, err)
	}
	c.settings[key] = setting{text, line}
	return err
}

// Short tags of scalars.
const (
	nullTag  = "!!null"
	textTag  = "!!str"
	wholeTag = "!!int"
)

// flagValue returns a YAML value as it is written on the command line: the
// items of a sequence are separated by commas.
func flagValue(value *yaml.Node) (string, error) {
	switch {
	case value.Kind == yaml.MappingNode:
		return "", errors.New("a mapping cannot be the value of a setting")
	case value.Kind == yaml.SequenceNode:
		var items []string
		for _, item := range value.Content {
			text, err := flagValue(item)
			if err != nil {
				return "", err
			}
			items = append(items, strings.ReplaceAll(text, ",", `\,`))
		}
		return strings.Join(items, ","), nil
	case value.ShortTag() == nullTag:
		return "", errors.New(`the value is missing: write one, or leave the setting out`)
	case value.ShortTag() == wholeTag: // 1_000 and 0o17 too
		var number any
		err := yamlfile.Decode(value, &number)
		return fmt.Sprint(number), err
	}
	return value.Value, nil
}

// sectionTag is the tag of a hidden flag that takes, as YAML in one line, what
// is written as a section of the file. It serves its variable, for those who
// have no file.
const sectionTag = "section"

// Validate fails for keys that are not a flag of any command: one file serves
// all commands.
func (c configFile) Validate(app *kong.Application) error {
	known := settingsOf(app)
	for key, found := range c.settings {
		if known[key] == nil {
			return fmt.Errorf("in %s, line %d: %w", c.path, found.line, unknownSetting(key, known))
		}
	}
	return nil
}

// settingsOf returns the flags that a file may set, of all commands, by name.
func settingsOf(app *kong.Application) map[string]*kong.Flag {
	known := map[string]*kong.Flag{}
	for _, flag := range FlagsOf(app.Node) {
		if settable(flag) && flag.Name != "config" {
			known[flag.Name] = flag
		}
	}
	return known
}

func unknownSetting(key string, known map[string]*kong.Flag) error {
	if near := suggest.Nearest(key, slices.Sorted(maps.Keys(known))); near != "" {
		return fmt.Errorf("unknown setting %q: did you mean %q?", key, near)
	}
	return fmt.Errorf("unknown setting %q: settings have the names of flags, such as %q", key, "smtp-port")
}

// settable reports whether the environment or a file may set a flag. A flag
// about one call, such as the name of a new key, has the tag env:"-".
func settable(flag *kong.Flag) bool { return len(flag.Envs) > 0 }

// Resolve returns the value of a flag that the command line does not set.
func (c configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !settable(flag) {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	set, found := c.settings[flag.Name]
	if !found {
		return nil, nil
	}
	if err := tryOut(flag, set.value); err != nil {
		return nil, fmt.Errorf("in %s, line %d: %w", c.path, set.line, err)
	}
	return set.value, nil
}

// tryOut parses a value as kong will. The error of kong itself would not name
// the file.
func tryOut(flag *kong.Flag, value string) error {
	if flag.Enum != "" && !slices.Contains(flag.EnumSlice(), value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(flag.EnumSlice(), ", "))
	}
	scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
	return flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan},
		reflect.New(flag.Target.Type()).Elem())
}
