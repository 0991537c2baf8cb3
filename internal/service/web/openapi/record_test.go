package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestRecord: the contract has the fields of a record and of its details, and
// no others.
func TestRecord(t *testing.T) {
	type schema struct{ Properties map[string]any }
	var contract struct {
		Components struct {
			Schemas struct{ Verification, Details schema }
		}
	}
	if err := json.Unmarshal(file, &contract); err != nil {
		t.Fatal(err)
	}
	var result rcpt.Result
	testkit.Fill(&result)
	result.RetryAt = result.CheckedAt.Add(24 * time.Hour)
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	details, _ := record["details"].(map[string]any)
	schemas := contract.Components.Schemas
	for name, of := range map[string][2]map[string]any{
		"Verification": {record, schemas.Verification.Properties}, "Details": {details, schemas.Details.Properties},
	} {
		has, wants := slices.Sorted(maps.Keys(of[0])), slices.Sorted(maps.Keys(of[1]))
		if !slices.Equal(has, wants) {
			t.Errorf("%s: a result has %v, the contract %v", name, has, wants)
		}
	}
}
