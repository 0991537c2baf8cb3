package openapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
)

// TestReasons: the contract has every reason of the engine and no other, each
// with its verdict before its words.
func TestReasons(t *testing.T) {
	var contract struct {
		Components struct {
			Schemas struct {
				Reason struct {
					Enum  []rcpt.Reason
					Words map[rcpt.Reason]string `json:"x-enumDescriptions"`
				}
			}
		}
	}
	if err := json.Unmarshal(file, &contract); err != nil {
		t.Fatal(err)
	}
	has, listed := contract.Components.Schemas.Reason, map[rcpt.Reason]bool{}
	for _, reason := range has.Enum {
		listed[reason] = true
	}
	for _, reason := range rcpt.Reasons() {
		if !listed[reason] || !strings.HasPrefix(has.Words[reason], string(reason.Verdict())+": ") {
			t.Errorf("%s: listed %v, words %q", reason, listed[reason], has.Words[reason])
		}
	}
	if n := len(rcpt.Reasons()); len(has.Enum) != n || len(has.Words) != n {
		t.Errorf("%d reasons: %d listed, %d with words", n, len(has.Enum), len(has.Words))
	}
}
