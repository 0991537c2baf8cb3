package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
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

// configFile is the settings of a YAML file, by the names of the flags. The command line and the environment win over it.
type configFile map[string]string

// loadConfig reads a configuration file.
func loadConfig(r io.Reader) (kong.Resolver, error) {
	var raw map[string]any
	if err := yaml.NewDecoder(r).Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file is not a YAML mapping of settings:\n%w", err)
	}
	file := configFile{}
	for key, value := range raw {
		text, err := flagValue(value)
		if err != nil {
			return nil, fmt.Errorf("%q in the file: %w", key, err)
		}
		file[key] = text
	}
	return file, nil
}

// flagValue writes a YAML value as it would stand on the command line: the items of a sequence separated by commas.
func flagValue(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "", nil
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

// Validate refuses keys that are no flag of any command.
func (c configFile) Validate(app *kong.Application) error {
	known := flagNames(app.Node)
	for key := range c {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown setting %q in the configuration file: settings have the names of flags, such as %q", key, "smtp-port")
		}
	}
	return nil
}

// Resolve looks up a flag that the command line does not set.
func (c configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	if value, ok := c[flag.Name]; ok {
		return value, nil
	}
	return nil, nil
}

// flagNames collects the flags that may stand in a file, of all commands: one file serves them all.
func flagNames(node *kong.Node) []string {
	var names []string
	for _, flag := range node.Flags {
		if flag.Name != "help" && flag.Name != "config" {
			names = append(names, flag.Name)
		}
	}
	for _, child := range node.Children {
		names = append(names, flagNames(child)...)
	}
	return names
}
