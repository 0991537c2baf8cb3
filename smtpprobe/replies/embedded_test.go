package replies

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"
)

var update = flag.Bool("update", false, "write rules.json anew")

// TestEmbedded: rules.json has what rules.yaml says.
func TestEmbedded(t *testing.T) {
	data, err := os.ReadFile("rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file ruleFile
	if err := yamlfile.Load(data, &file); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(file); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("rules.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want.Bytes(), embeddedRules) {
		t.Error("rules.json is out of date: go test ./smtpprobe/replies -run TestEmbedded -update")
	}
}
