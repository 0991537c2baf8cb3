package doctor

import (
	"os"
	"strings"
	"testing"
)

// TestDoctorPage: the page has every check.
func TestDoctorPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range headings {
		if !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("the page lacks the check %s", name)
		}
	}
}
