package contract

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPart: the document of the endpoint has its two paths, what they refer to
// and nothing else: no lists, webhooks, quotas or limits.
func TestPart(t *testing.T) {
	for _, p := range []Part{{Path: VerifyPath, Keys: true}, {Path: "/check-address"}} {
		text := p.Document()("/mail")
		document := read(text)
		if got := slices.Sorted(maps.Keys(document["paths"].(object))); !slices.Equal(got, []string{p.Path, DocumentPath}) {
			t.Errorf("paths %q", got)
		}
		if got := document["servers"].([]any)[0].(object)["url"]; got != "/mail" {
			t.Errorf("server %q", got)
		}
		components := document["components"].(object)
		if got := components["securitySchemes"] != nil; got != p.Keys {
			t.Errorf("%+v: there are security schemes: %v", p, got)
		}
		for kind, of := range components {
			for name := range of.(object) {
				if kind != "securitySchemes" && name != "MethodNotAllowed" && !strings.Contains(string(text), `"#/components/`+kind+"/"+name+`"`) {
					t.Errorf("nothing refers to %s/%s", kind, name)
				}
			}
		}
		for _, foreign := range []string{"RateLimit-", "webhook.", `"Job"`, "monthly quota", "key's rate", "/api/v1/bulk\"", `"402"`, `"403"`, `"429"`} {
			if strings.Contains(string(text), foreign) {
				t.Errorf("%+v: it has %s", p, foreign)
			}
		}
		operation := document["paths"].(object)[p.Path].(object)["get"].(object)
		if got := operation["security"] != nil; got != p.Keys {
			t.Errorf("%+v: a key is required: %v", p, got)
		}
		if got := operation["responses"].(object)["4XX"] != nil; got == p.Keys {
			t.Errorf("%+v: the program may refuse: %v", p, got)
		}
	}
	if got := read(Part{Path: VerifyPath}.Document()(""))["servers"].([]any)[0].(object)["url"]; got != "/" {
		t.Errorf("without a prefix the server is %q", got)
	}
}

// TestSchema: a schema by itself refers to nothing outside of it, and has no
// property that is left out.
func TestSchema(t *testing.T) {
	text := string(write(Schema("Verifications", "transcript")))
	for _, foreign := range []string{"#/components/", "transcript\":", "examples", "x-enum", `"Line"`, `"Job"`} {
		if strings.Contains(text, foreign) {
			t.Errorf("it has %s", foreign)
		}
	}
	for _, own := range []string{`"$defs"`, `"#/$defs/Verification"`, `"Reason"`, `"deliverable"`} {
		if !strings.Contains(text, own) {
			t.Errorf("it has no %s", own)
		}
	}
	if got := Meanings("Result")["accept-all"]; got == "" {
		t.Error("accept-all has no meaning")
	}
}
