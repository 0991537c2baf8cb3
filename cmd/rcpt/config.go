package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/wholefile"
)

// environmentPrefix begins the names of the environment variables that set flags: RCPT_SMTP_PORT sets --smtp-port.
const environmentPrefix = "RCPT"

// unsetEmpty takes away variables of ours that are set to nothing, as compose files and unit files do with settings that nobody chose.
func unsetEmpty(environment []string) {
	for _, variable := range environment {
		if name, empty := strings.CutSuffix(variable, "="); empty && strings.HasPrefix(name, environmentPrefix+"_") {
			os.Unsetenv(name)
		}
	}
}

// configFlag is the path of a configuration file.
type configFlag string

// BeforeResolve loads the file, so that kong finds the settings in it.
func (configFlag) BeforeResolve(parsed *kong.Context, trace *kong.Path) error {
	path := string(parsed.FlagValue(trace.Flag).(configFlag))
	file, err := loadConfig(path)
	if err != nil {
		return fmt.Errorf("%s: %w", originOf(parsed, trace, path), err)
	}
	parsed.AddResolver(file)
	return nil
}

// originOf says where the value of a flag comes from: kong traces what stands on the command line.
func originOf(parsed *kong.Context, trace *kong.Path, value string) string {
	if slices.Contains(parsed.Path, trace) {
		return "--" + trace.Flag.Name + " " + value
	}
	return strings.Join(trace.Flag.Envs, " or ") + "=" + value
}

// configFile is the settings of a YAML file, by the names of the flags. The command line and the environment win over it.
type configFile struct {
	path     string
	settings map[string]string
}

func loadConfig(path string) (configFile, error) {
	data, err := wholefile.Read(path)
	if err != nil {
		return configFile{}, err
	}
	var raw map[string]any
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return configFile{}, yamlError(err)
	}
	file := configFile{path: path, settings: map[string]string{}}
	for key, value := range raw {
		if file.settings[key], err = flagValue(value); err != nil {
			return configFile{}, fmt.Errorf("%q in the file: %w", key, err)
		}
	}
	return file, nil
}

// yamlError says in one line what is wrong with the file, and where. The error of
// the library shows the lines themselves, several of them.
func yamlError(err error) error {
	var wrong yaml.Error
	if !errors.As(err, &wrong) {
		return fmt.Errorf("the file is not YAML: %w", err)
	}
	if token := wrong.GetToken(); token != nil {
		return fmt.Errorf("line %d: %s; settings are written as NAME: VALUE, one a line", token.Position.Line, wrong.GetMessage())
	}
	return fmt.Errorf("%s; settings are written as NAME: VALUE, one a line", wrong.GetMessage())
}

// flagValue writes a YAML value as it would stand on the command line: the items of a sequence separated by commas.
func flagValue(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "", errors.New(`the value is missing: write one, or leave the setting out`)
	case map[string]any:
		return "", errors.New("a mapping cannot be the value of a setting")
	case []any:
		var items []string
		for _, item := range value {
			text, err := flagValue(item)
			if err != nil {
				return "", err
			}
			items = append(items, strings.ReplaceAll(text, ",", `\,`))
		}
		return strings.Join(items, ","), nil
	}
	return fmt.Sprint(value), nil
}

// Validate refuses keys that are no flag of any command: one file serves them all.
func (c configFile) Validate(app *kong.Application) error {
	var known []string
	for _, flag := range flagsOf(app.Node) {
		if settable(flag) && flag.Name != "config" {
			known = append(known, flag.Name)
		}
	}
	for key := range c.settings {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown setting %q in %s: settings have the names of flags, such as %q", key, c.path, "smtp-port")
		}
	}
	return nil
}

// settable tells whether a flag has a meaning for more than one call. One that has not, such as the name of a new key, has the tag env:"-".
func settable(flag *kong.Flag) bool { return len(flag.Envs) > 0 }

// Resolve looks up a flag that the command line does not set.
func (c configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !settable(flag) {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value, found := c.settings[flag.Name]
	if !found {
		return nil, nil
	}
	if err := tryOut(flag, value); err != nil {
		return nil, fmt.Errorf("in %s: %w", c.path, err)
	}
	return value, nil
}

// tryOut reads a value the way kong will, whose own error could not name the file.
func tryOut(flag *kong.Flag, value string) error {
	if flag.Enum != "" && !slices.Contains(flag.EnumSlice(), value) {
		return fmt.Errorf("%q is none of %s", value, strings.Join(flag.EnumSlice(), ", "))
	}
	scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
	return flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, reflect.New(flag.Target.Type()).Elem())
}

// variable is an environment variable that sets a flag.
type variable struct{ name, flag string }

// variablesOf returns the variables of all commands by name.
func variablesOf(app *kong.Application) []variable {
	var all []variable
	for _, flag := range flagsOf(app.Node) {
		for _, name := range flag.Envs {
			all = append(all, variable{name, flag.Name})
		}
	}
	slices.SortFunc(all, func(a, b variable) int { return cmp.Compare(a.name, b.name) })
	return slices.Compact(all)
}

// otherVariables begin with our prefix and set no flag: the key of a server,
// which the examples for clients read too.
var otherVariables = []string{apiKeyVariable}

// testVariables begin the names of those that tests set.
var testVariables = []string{"RCPT_E2E_", "RCPT_STORE_TEST_", "RCPT_THROTTLE"}

// ofKubernetes fits the variables that Kubernetes sets in each container for a
// service named rcpt, and with an address as the value for one named rcpt-…
var ofKubernetes = regexp.MustCompile(`^RCPT(_[A-Z0-9_]+)?_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)=|^RCPT_PORT(_[A-Z0-9_]+)?=|` +
	`^RCPT_[A-Z0-9_]+_PORT=[a-z]+://|^RCPT_[A-Z0-9_]+_PORT_[0-9]+_[A-Z]+(_PROTO|_PORT|_ADDR)?=`)

// checkEnvironment refuses variables with our prefix that mean nothing, such as
// mistyped ones.
func checkEnvironment(environment []string, app *kong.Application) error {
	known := slices.Clone(otherVariables)
	for _, v := range variablesOf(app) {
		known = append(known, v.name)
	}
	for _, set := range environment {
		name, _, _ := strings.Cut(set, "=")
		if !strings.HasPrefix(name, environmentPrefix+"_") || slices.Contains(known, name) || ofKubernetes.MatchString(set) ||
			slices.ContainsFunc(testVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if near := nearest(name, known); near != "" {
			return usage(fmt.Errorf("the environment variable %s sets nothing: did you mean %s? (see rcpt help environment)", name, near))
		}
		return usage(fmt.Errorf("the environment variable %s sets nothing: remove it (see rcpt help environment)", name))
	}
	return nil
}

// nearest returns the word that takes the fewest changed letters to become, or
// "" if none is like it.
func nearest(word string, known []string) string {
	best, least := "", max(2, len(word)/4)+1
	for _, candidate := range known {
		if d := distance(word, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with the
// next one (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
