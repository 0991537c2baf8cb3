package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

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
// and the variables of the clients in the documentation, which people export in
// the same shell.
var otherVariables = []string{apiKeyVariable, "RCPT_KEY", "RCPT_URL"}

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
