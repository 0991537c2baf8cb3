package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// formats reads the entries out of a data file, by the word in the pins.
var formats = map[string]func(text string) ([]string, error){
	"json":  readJSON,
	"lines": readLines,
	"js":    readScript,
}

func readJSON(text string) ([]string, error) {
	var list []string
	err := json.Unmarshal([]byte(text), &list)
	return list, err
}

func readLines(text string) ([]string, error) {
	return strings.Fields(text), nil
}

var (
	scriptArray  = regexp.MustCompile(`(?s)const \w+ = \[(.*?)\];`)
	scriptString = regexp.MustCompile(`'([^'\\\n]*)'|"([^"\\\n]*)"`)
)

// readScript reads the strings of the array literals in a script. Anything but strings in such an array is an error: the script is not run,
// so what it would compute is unknown.
func readScript(text string) ([]string, error) {
	var list []string
	for _, array := range scriptArray.FindAllStringSubmatch(text, -1) {
		if rest := strings.Trim(scriptString.ReplaceAllString(array[1], ""), ", \t\r\n"); rest != "" {
			return nil, fmt.Errorf("array holds more than strings: %.40q", rest)
		}
		for _, s := range scriptString.FindAllStringSubmatch(array[1], -1) {
			list = append(list, s[1]+s[2])
		}
	}
	if len(list) == 0 {
		return nil, errors.New("script without an array of strings")
	}
	return list, nil
}
