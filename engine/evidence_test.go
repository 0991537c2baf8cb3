package engine_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// TestEvidenceOfALaterVersion checks that what this version cannot understand
// is refused, and not judged as if it said nothing.
func TestEvidenceOfALaterVersion(t *testing.T) {
	for text, unknown := range map[string]bool{
		`{"schema":1,"email":"a@b.example","level":"smtp"}`:             false,
		`{"schema":1,"email":"a@b.example","level":"smtp","later":"x"}`: false,
		`{"schema":2,"email":"a@b.example","level":"smtp"}`:             true,
		`{"schema":99,"email":{"local":"a","domain":"b.example"}}`:      true,
		`{"email":"a@b.example","level":"smtp"}`:                        true,
		`{}`:                                                            true,
	} {
		evidence := engine.Evidence{Email: "untouched"}
		err := json.Unmarshal([]byte(text), &evidence)
		if errors.Is(err, engine.ErrSchema) != unknown || !unknown && err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if unknown && evidence.Email != "untouched" {
			t.Errorf("%s: read as %+v", text, evidence)
		}
	}
	if err := json.Unmarshal([]byte(`{"schema":1,"email":7}`), new(engine.Evidence)); err == nil || errors.Is(err, engine.ErrSchema) {
		t.Errorf("broken evidence of this version: %v", err)
	}
	later := engine.Evidence{Schema: engine.EvidenceSchema + 1, Email: "a@b.example", Local: "a", Domain: "b.example"}
	if r := engine.Decide(later, engine.Policy{}); !r.Reason.Failed() || r.Verdict != rcpt.VerdictUnknown || r.Reason != rcpt.ReasonInternalError {
		t.Errorf("judged as %s", r.Reason)
	}
}
