package main

import (
	"fmt"
	"regexp"
	"strings"
)

// scriptString is a string without escapes.
var scriptString = regexp.MustCompile(`'([^'\\\n]*)'|"([^"\\\n]*)"`)

// readScript reads the strings of the array literals in a script, each given to
// a variable or made a Set first. Anything but strings in such an array is an
// error: the script is not run, so what it would compute is unknown.
func readScript(text string, f pkgFile) ([]item, error) {
	var list []item
	for _, name := range f.Arrays {
		const keyword, literal = `(?s)(?:const|let|var)\s+`, `\s*=\s*(?:new Set\()?\[(.*?)\]`
		assignment := regexp.MustCompile(keyword + regexp.QuoteMeta(name) + literal)
		array := assignment.FindStringSubmatch(text)
		if array == nil {
			return nil, fmt.Errorf("the script has no array %s", name)
		}
		if rest := strings.Trim(scriptString.ReplaceAllString(array[1], ""), ", \t\r\n"); rest != "" {
			return nil, fmt.Errorf("array %s holds more than strings: %.40q", name, rest)
		}
		for _, s := range scriptString.FindAllStringSubmatch(array[1], -1) {
			list = append(list, item{name: s[1] + s[2]})
		}
	}
	return list, nil
}
