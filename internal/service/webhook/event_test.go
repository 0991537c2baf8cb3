package webhook

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
)

// TestTestEvent: the event that tests a receiver is the one of the contract.
func TestTestEvent(t *testing.T) {
	contract, err := openapitest.New()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Test("key", "https://receiver.example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := contract.CheckEvent(w.Body); err != nil {
		t.Error(err)
	}
}
