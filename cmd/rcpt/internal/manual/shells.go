package manual

import (
	"embed"
	"strings"
)

//go:embed shells
var shells embed.FS

// Shells are the supported shells.
var Shells = []string{"bash", "zsh", "fish"}

// Script returns the script of one of [Shells] that asks the program for
// candidates, by its command "complete".
func (m Manual) Script(shell string) (string, error) {
	text, err := shells.ReadFile("shells/" + shell)
	return strings.ReplaceAll(string(text), "PROGRAM", m.App.Name), err
}
