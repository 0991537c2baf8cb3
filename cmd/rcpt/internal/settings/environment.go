package settings

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rcpt/rcpt/internal/listdata/suggest"
	"github.com/rcpt/rcpt/internal/service/keyring"
)

// EnvironmentPrefix begins the names of the environment variables that set
// flags: RCPT_SMTP_PORT sets --smtp-port.
const EnvironmentPrefix = "RCPT"

// UnsetEmpty unsets our variables that are empty. Compose files and unit files
// set them so for settings that were not chosen.
func UnsetEmpty(environment []string) {
	for _, variable := range environment {
		if name, empty := strings.CutSuffix(variable, "="); empty && strings.HasPrefix(name, EnvironmentPrefix+"_") {
			os.Unsetenv(name)
		}
	}
}

// Variable is an environment variable that sets a flag.
type Variable struct{ Name, Flag string }

// Variables returns the variables of all commands, sorted by name.
func Variables(app *kong.Application) []Variable {
	var all []Variable
	for _, flag := range FlagsOf(app.Node) {
		for _, name := range flag.Envs {
			all = append(all, Variable{name, flag.Name})
		}
	}
	slices.SortFunc(all, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return slices.Compact(all)
}

// otherVariables begin with our prefix and set no flag: the key of a server,
// which the examples for clients read too.
var otherVariables = []string{keyring.FixedVariable}

// testVariables are prefixes of the variables that tests set.
var testVariables = []string{"RCPT_E2E_", "RCPT_STORE_TEST_", "RCPT_THROTTLE"}

// ofKubernetes matches the variables that Kubernetes sets in each container for
// a service named rcpt, and those with an address as value for a service named
// rcpt-…
var ofKubernetes = regexp.MustCompile(
	`^RCPT(_[A-Z0-9_]+)?_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)=|^RCPT_PORT(_[A-Z0-9_]+)?=|` +
		`^RCPT_[A-Z0-9_]+_PORT=[a-z]+://|^RCPT_[A-Z0-9_]+_PORT_[0-9]+_[A-Z]+(_PROTO|_PORT|_ADDR)?=`,
)

// CheckEnvironment fails for variables with our prefix that set nothing, such
// as mistyped ones.
func CheckEnvironment(environment []string, app *kong.Application) error {
	known := slices.Clone(otherVariables)
	for _, v := range Variables(app) {
		known = append(known, v.Name)
	}
	for _, set := range environment {
		name, _, _ := strings.Cut(set, "=")
		if !strings.HasPrefix(name, EnvironmentPrefix+"_") || slices.Contains(known, name) ||
			ofKubernetes.MatchString(set) ||
			slices.ContainsFunc(testVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		if near := suggest.Nearest(name, known); near != "" {
			const format = "the environment variable %s sets nothing: did you mean %s? (see rcpt help environment)"
			return Usage(fmt.Errorf(format, name, near))
		}
		const format = "the environment variable %s sets nothing: remove it (see rcpt help environment)"
		return Usage(fmt.Errorf(format, name))
	}
	return nil
}
