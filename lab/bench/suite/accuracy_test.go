package suite

import (
	"os"
	"testing"
)

// TestAccuracyOfREADME: the README has the table that "bench accuracy" prints.
func TestAccuracyOfREADME(t *testing.T) {
	t.Chdir("..") // the tools are built from the folder of the command
	table, err := accuracyTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := withTable(string(page), "bench accuracy", table)
	if err != nil {
		t.Fatal(err)
	}
	if want != string(page) {
		t.Errorf("run make accuracy: the README does not have\n%s", table)
	}
}
